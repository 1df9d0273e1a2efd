#include "heal/toolbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/fingerprint.h"
#include "engine/private_folder.h"
#include "heal/toolbox_check.h"
#include "heal/toolbox_sweep.h"

namespace bashcell::heal {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNames = size_t{8} << 20;
constexpr off_t kMaxWrapper = 16 << 10;
constexpr size_t kMaxCommands = 2'000;
constexpr time_t kListsAge = 86'400;

// Behind everything of the system's: Python reads this last of all when it starts.
constexpr std::string_view kPythonHook =
    "import os, sys\n"
    "_here = os.path.dirname(__file__)\n"
    "for _name in sorted(os.listdir(_here)):\n"
    "    if _name.endswith('.package'):\n"
    "        sys.path.append('/run/cell/tools/packages/' + _name[:-8])\n";

// A value of os-release(5), as far as it fits into a folder's name.
std::string release_value(const std::string& text, const std::string& name) {
  const size_t at = ("\n" + text).find("\n" + name + "=");
  if (at == std::string::npos) return "unknown";
  std::string value;
  for (size_t i = at + name.size() + 1; i < text.size() && text[i] != '\n' && value.size() < 32; ++i) {
    const char c = text[i];
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_') value += c;
  }
  return value.empty() ? "unknown" : value;
}

std::string machine() {
  utsname name{};
  return ::uname(&name) == 0 ? name.machine : "unknown";
}

bool is_kind(const std::string& path, mode_t kind) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == kind;
}
bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

base::Result<void> move(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return base::errno_error("cannot move what was installed to " + to);
}

// moreutils comes with a `parallel` that is not what scripts mean by that name.
bool is_known_of_another(const std::string& command, const std::string& place, const PackageTable& table) {
  const std::optional<Package> package = table.of_command(command);
  return package && package->name != place;
}

// What may be on PATH: a script, or a link to a program of the same package or of the base.
bool is_entry_of(const std::string& path, const std::string& place) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return info.st_size > 0 && info.st_size <= kMaxWrapper && (info.st_mode & 07111) == 0111;
  if (!S_ISLNK(info.st_mode)) return false;
  std::error_code error;
  const std::string target = fs::read_symlink(path, error).string();
  const std::string inside = "../packages/" + place + "/";
  const bool ours = target.starts_with(inside) && target.find("..", inside.size()) == std::string::npos;
  return !error && (ours || (target.starts_with("/") && target.find("..") == std::string::npos));
}

}  // namespace

std::string toolbox_key(const ToolboxRoot& root) {
  const std::string tail = fmt::format("{}-{}", machine(), root.uid);
  if (!root.image.empty()) return fmt::format("image-{:016x}-{}", base::fingerprint(root.image), tail);
  const base::Result<std::string> release = base::read_file(root.rootfs + "/etc/os-release", 1 << 16);
  std::string key =
      release ? release_value(*release, "ID") + "-" + release_value(*release, "VERSION_ID") : std::string("unknown");
  if (!root.rootfs.empty()) key += fmt::format("-{:016x}", base::fingerprint(root.rootfs));
  return key + "-" + tail;
}

base::Result<std::string> toolbox_folder(const std::string& key) {
  const std::optional<std::string> cache = engine::lasting_folder("/var/cache", "XDG_CACHE_HOME", ".cache");
  if (!cache) return base::Error{"there is no place for tools: HOME is not set"};
  return *cache + "/bashcell/toolbox/" + key;
}

base::Result<Toolbox> Toolbox::open(const std::string& folder, engine::User user, int64_t max_bytes) {
  const fs::path path(folder);
  if (!path.is_absolute()) return base::Error{folder + " is no absolute path"};
  const fs::path parent = path.parent_path();         // .../toolbox
  const fs::path ours = parent.parent_path();         // .../bashcell
  ::mkdir(ours.parent_path().c_str(), 0755);          // ~/.cache may be missing
  for (const fs::path& one : {ours, parent, path}) {  // of these, the first may be somebody's chosen place
    if (one == ours && is_kind(one, S_IFDIR)) continue;
    if (base::Result<void> made = engine::make_private(one); !made) return made.error();
  }
  Toolbox box(folder, user, max_bytes);
  for (const char* name : {"", "/bin", "/packages", "/python"}) {
    if (base::Result<void> made = engine::make_open(box.tools() + name); !made) return made.error();
  }
  return box;
}

bool Toolbox::has_command(const std::string& name) const {
  return is_command_name(name) && exists(tools() + "/bin/" + name);
}

bool Toolbox::has_distribution(const std::string& name) const {
  return is_command_name(name) && exists(tools() + "/packages/py-" + name);
}

bool Toolbox::index_has(const std::string& name) const {
  const std::string path = folder_ + "/names";
  if (!is_command_name(name) || !is_kind(path, S_IFREG)) return false;
  const base::Result<std::string> names = base::read_file(path, kMaxNames);
  return names && ("\n" + *names).find("\n" + name + "\n") != std::string::npos;
}

base::LockAttempt Toolbox::try_lock() const {
  return base::try_lock(folder_ + "/lock", {.cure = engine::use_another_place("/var/cache", "XDG_CACHE_HOME")});
}

base::Result<std::string> Toolbox::make_staging() const {
  std::error_code error;
  std::vector<std::string> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("staging-") || name.starts_with("old-")) old.push_back(entry.path());
  }
  for (const std::string& path : old) remove_soon(path);
  std::string staging = folder_ + "/staging-XXXXXX";
  if (::mkdtemp(staging.data()) == nullptr) return base::errno_error("cannot make a folder in " + folder_);
  struct stat info {};
  const std::string lists = folder_ + "/apt";
  if (::lstat((lists + "/lists").c_str(), &info) == 0) {
    const bool fresh = S_ISDIR(info.st_mode) && std::time(nullptr) - info.st_mtime < kListsAge;
    if (base::Result<void> moved = move(lists, staging + (fresh ? "/apt" : "/old")); !moved) return moved.error();
  }
  if (::chmod(staging.c_str(), 0755) != 0) return base::errno_error("cannot open " + staging + " to cells");
  if (::geteuid() == 0 && ::lchown(staging.c_str(), user_.uid, user_.gid) != 0) {
    return base::errno_error("cannot give " + staging + " to the cell's user");
  }
  return staging;
}

void Toolbox::end_staging(const std::string& staging) const {
  if (is_kind(staging + "/apt", S_IFDIR)) ::rename((staging + "/apt").c_str(), (folder_ + "/apt").c_str());
  remove_soon(staging);
}

base::Result<void> Toolbox::accept(const std::string& staging, const Arrival& arrival,
                                   const PackageTable& table) const {
  const std::string out = staging + "/out";
  if (!is_command_name(arrival.place)) return base::Error{"the package's name is not one"};
  if (base::Result<void> checked = check_and_own_tree(out, max_bytes_); !checked) return checked;
  const std::string wanted = out + "/bin/" + arrival.command;
  if (!arrival.command.empty() && !(is_command_name(arrival.command) && is_entry_of(wanted, arrival.place))) {
    return base::Error{fmt::format("the package {} has no command {}", arrival.place, arrival.command)};
  }
  if (base::Result<void> taken = take_package(out, arrival); !taken) return taken;
  if (base::Result<void> taken = take_commands(out, arrival, table); !taken) return taken;
  if (!arrival.python.empty()) {
    if (base::Result<void> shown = show_to_python(arrival); !shown) return shown;
  }
  if (is_kind(out + "/names", S_IFREG)) ::rename((out + "/names").c_str(), (folder_ + "/names").c_str());
  return {};
}

base::Result<void> Toolbox::take_package(const std::string& out, const Arrival& arrival) const {
  const std::string tree = out + "/tree";
  std::error_code error;
  if (fs::is_empty(tree, error) || error) return {};  // the base has the program, under another name
  const std::string place = tools() + "/packages/" + arrival.place;
  if (::renameat2(AT_FDCWD, tree.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno != EEXIST) return base::errno_error("cannot move what was installed to " + place);
  // Another command of the same package: the old tree goes with the staging folder.
  if (::renameat2(AT_FDCWD, tree.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) return {};
  return base::errno_error("cannot replace " + place);
}

base::Result<void> Toolbox::take_commands(const std::string& out, const Arrival& arrival,
                                          const PackageTable& table) const {
  std::error_code error;
  size_t count = 0;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(out + "/bin", error)) {
    if (++count > kMaxCommands) break;
    names.push_back(entry.path().filename());
  }
  for (const std::string& name : names) {
    const std::string from = out + "/bin/" + name;
    const std::string to = tools() + "/bin/" + name;
    if (!is_command_name(name) || !is_entry_of(from, arrival.place)) continue;
    if (name != arrival.command && (exists(to) || is_known_of_another(name, arrival.place, table))) continue;
    if (base::Result<void> moved = move(from, to); !moved) return moved;
  }
  return {};
}

base::Result<void> Toolbox::show_to_python(const Arrival& arrival) const {
  std::string path = tools() + "/python";
  for (const std::string& name : {std::string("lib"), "python" + arrival.python, std::string("site-packages")}) {
    path += "/" + name;
    if (base::Result<void> made = engine::make_open(path); !made) return made;
  }
  if (!exists(path + "/usercustomize.py")) {
    if (base::Result<void> written = base::write_file(path + "/usercustomize.py", kPythonHook); !written)
      return written;
  }
  return base::write_file(path + "/" + arrival.place + ".package", "");
}

}  // namespace bashcell::heal
