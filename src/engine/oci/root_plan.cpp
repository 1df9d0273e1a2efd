#include "engine/oci/root_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "base/utf8.h"
#include "engine/run_folder.h"

namespace bashcell::engine::oci {

namespace {

namespace fs = std::filesystem;
using Kind = RootEntry::Kind;

RootEntry empty_folder(std::string path, unsigned mode = 0755) {
  return {Kind::kFolder, std::move(path), {}, {}, mode};
}
RootEntry generated(std::string path, std::string content) {
  return {Kind::kFile, std::move(path), {}, std::move(content), 0644};
}
RootEntry linked(std::string path, std::string target) {
  return {Kind::kLink, std::move(path), std::move(target), {}, 0};
}
RootEntry copied(std::string path, std::string source) {
  return {Kind::kCopy, std::move(path), std::move(source), {}, 0};
}
RootEntry bound(std::string path, std::string source) {
  return {Kind::kBind, std::move(path), std::move(source), {}, 0755};
}

// Mount points, and /run/cell with the names under which bashcell-init is called inside.
void add_mount_points(RootPlan& plan, const CellSpec& spec, const std::string& resolv_conf) {
  for (const char* path :
       {"proc", "dev", "sys", "sys/fs", "sys/fs/cgroup", "workspace", "run", "run/cell", "run/cell/bin"}) {
    plan.push_back(empty_folder(path));
  }
  // runc 1.1 gives a tmpfs the mode of its mount point and ignores the option.
  plan.push_back(empty_folder("tmp", 01777));
  plan.push_back(generated("run/cell/bashcell-init", ""));
  if (!spec.toolbox.empty()) plan.push_back(empty_folder(kCellTools + 1));
  if (!spec.shelf.empty()) plan.push_back(empty_folder(kCellShelf + 1));
  if (!resolv_conf.empty()) plan.push_back(generated(kResolvConf + 1, resolv_conf));
  for (const RunLink& link : kRunLinks) plan.push_back(linked(std::string("run/cell/") + link.path, link.target));
}

// A link is repeated (usr-merge: /bin -> usr/bin), a folder is bound.
void add_top_level(RootPlan& plan, const std::string& base, const std::string& name) {
  const std::string source = base + "/" + name;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(source, error);
  if (fs::is_symlink(status)) {
    const std::string target = fs::read_symlink(source, error).string();
    if (!error) plan.push_back(linked(name, target));
  } else if (fs::is_directory(status)) {
    plan.push_back(bound(name, source));
  }
}

void add_generated_etc(RootPlan& plan, const User& user, bool has_resolver) {
  // The user comes first: with uid 0 the first line of that number gives the name.
  plan.push_back(generated("etc/passwd", fmt::format("user:x:{}:{}:user:/tmp/home:/bin/bash\n"
                                                     "root:x:0:0:root:/root:/usr/sbin/nologin\n"
                                                     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                                                     user.uid, user.gid)));
  plan.push_back(generated("etc/group", fmt::format("user:x:{}:\nroot:x:0:\nnogroup:x:65534:\n", user.gid)));
  plan.push_back(generated("etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n"));
  plan.push_back(generated("etc/hostname", "cell\n"));
  plan.push_back(has_resolver ? linked("etc/resolv.conf", kResolvConf) : generated("etc/resolv.conf", ""));
  // Only files: the host's modules (sss, systemd, ldap) would ask services that a cell does not have.
  plan.push_back(generated("etc/nsswitch.conf",
                           std::string("passwd: files\ngroup: files\nshadow: files\nnetworks: files\n"
                                       "protocols: files\nservices: files\nethers: files\nrpc: files\nhosts: files") +
                               (has_resolver ? " dns\n" : "\n")));
  // git refuses to work in a folder of another uid. A workspace may well be one (the server runs as root, or the
  // owner's id is not mapped), and nothing in it can harm more than the scripts that run there anyway.
  plan.push_back(generated("etc/gitconfig", "[safe]\n\tdirectory = *\n"));
  plan.push_back(linked("etc/mtab", "../proc/self/mounts"));
}

// What programs under /usr need of /etc. A list of what is allowed, since what is not known may hold a secret: pip.conf
// and npmrc carry tokens, for example, and are left out on purpose.
bool wanted_from_etc(const std::string& name) {
  static constexpr std::array kNames = {"ld.so.cache",
                                        "ld.so.conf",
                                        "ld.so.conf.d",
                                        "alternatives",
                                        "localtime",
                                        "timezone",
                                        "os-release",
                                        "debian_version",
                                        "redhat-release",
                                        "lsb-release",
                                        "mime.types",
                                        "services",
                                        "protocols",
                                        "rpc",
                                        "ethertypes",
                                        "perl",
                                        "fonts",
                                        "terminfo",
                                        "magic",
                                        "magic.mime",
                                        "host.conf",
                                        "inputrc",
                                        "locale.alias",
                                        "crypto-policies",
                                        "ca-certificates.conf",
                                        "groff",
                                        "vim",
                                        "R",
                                        "texmf",
                                        "papersize",
                                        "shells",
                                        "bash.bashrc"};
  static constexpr std::array kPrefixes = {"python3", "java-", "ImageMagick-"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* wanted) { return name == wanted; }) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](const char* start) { return name.rfind(start, 0) == 0; });
}

void add_host_etc(RootPlan& plan) {
  std::set<std::string> names;  // sorted, so that the same machine gives the same list
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/etc", error)) {
    const std::string name = entry.path().filename();
    if (wanted_from_etc(name)) names.insert(name);
  }
  for (const std::string& name : names) plan.push_back(copied("etc/" + name, "/etc/" + name));
  // Certificates, but never the private keys beside them.
  for (const auto& [parents, path] : std::initializer_list<std::pair<std::vector<std::string>, std::string>>{
           {{"etc/ssl"}, "etc/ssl/certs"},
           {{}, "etc/ssl/openssl.cnf"},
           {{"etc/pki", "etc/pki/tls"}, "etc/pki/tls/certs"},
           {{}, "etc/pki/tls/openssl.cnf"},
           {{"etc/pki/ca-trust"}, "etc/pki/ca-trust/extracted"}}) {
    if (!fs::exists("/" + path, error)) continue;
    for (const std::string& parent : parents) plan.push_back(empty_folder(parent));
    plan.push_back(copied(path, "/" + path));
  }
}

// Where packages come from and how they are verified; never auth.conf, which holds passwords. What is installed says
// what need not be. The lists are public, and may be fresh enough.
void add_package_manager(RootPlan& plan) {
  std::error_code error;
  plan.push_back(empty_folder("etc/apt"));
  for (const char* name : {"sources.list", "sources.list.d", "trusted.gpg", "trusted.gpg.d", "keyrings", "preferences",
                           "preferences.d", "apt.conf", "apt.conf.d"}) {
    const std::string path = std::string("etc/apt/") + name;
    if (fs::exists("/" + path, error)) plan.push_back(copied(path, "/" + path));
  }
  for (const char* path : {"var/lib", "var/lib/apt"}) plan.push_back(empty_folder(path));
  for (const char* path : {"var/lib/dpkg", "var/lib/apt/lists"}) {
    if (fs::is_directory(std::string("/") + path, error)) plan.push_back(bound(path, std::string("/") + path));
  }
}

RootPlan plan_host_root(const CellSpec& spec, const std::string& resolv_conf) {
  RootPlan plan;
  add_mount_points(plan, spec, resolv_conf);
  for (const char* name : {"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "libo32"})
    add_top_level(plan, "", name);
  plan.push_back(empty_folder("etc"));
  add_generated_etc(plan, spec.user, !resolv_conf.empty());
  add_host_etc(plan);
  plan.push_back(empty_folder("var"));
  plan.push_back(linked("var/tmp", "../tmp"));
  if (spec.installer) add_package_manager(plan);
  return plan;
}

base::Result<RootPlan> plan_given_root(const CellSpec& spec, const std::string& resolv_conf) {
  const std::string& base = spec.rootfs;
  std::error_code error;
  if (!fs::is_directory(base, error)) return base::Error{"the root file system " + base + " is not a folder"};
  if (fs::equivalent(base, "/", error)) {
    return base::Error{"--rootfs / would show all of this machine to the scripts; leave it out to use /usr only"};
  }
  if (!fs::is_directory(base + "/usr", error) && !fs::is_directory(base + "/bin", error)) {
    return base::Error{base + " is not a root file system: it has neither /usr nor /bin"};
  }
  RootPlan plan;
  add_mount_points(plan, spec, resolv_conf);
  // Ours, or private to whoever made the root.
  static const std::set<std::string> kSkipped = {"proc", "sys",  "dev",  "run", "tmp",   "workspace",
                                                 "home", "root", "boot", "mnt", "media", "lost+found"};
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(base, error)) {
    const std::string name = entry.path().filename();
    if (kSkipped.count(name) == 0 && base::is_valid_utf8(name)) names.insert(name);
  }
  if (error) return base::Error{fmt::format("cannot read the root file system {}: {}", base, error.message())};
  for (const std::string& name : names) add_top_level(plan, base, name);
  return plan;
}

}  // namespace

base::Result<RootPlan> plan_root(const CellSpec& spec, const std::string& resolv_conf) {
  if (!spec.rootfs.empty()) return plan_given_root(spec, resolv_conf);
  return plan_host_root(spec, resolv_conf);
}

bool root_has_bash(const CellSpec& spec) {
  return ::access((spec.rootfs + "/usr/bin/bash").c_str(), X_OK) == 0 ||
         ::access((spec.rootfs + "/bin/bash").c_str(), X_OK) == 0;
}

}  // namespace bashcell::engine::oci
