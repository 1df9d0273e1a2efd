#include "engine/oci/bundle.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/file.h"
#include "engine/seccomp.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
using namespace bashcell::engine::oci;
using nlohmann::json;

namespace {

CellSpec some_spec() {
  CellSpec spec;
  spec.workspace = "/srv/work";
  spec.supervisor = "/opt/bashcell-init";
  return spec;
}

CgroupPlan full_plan() {
  CgroupPlan plan;
  plan.manager = CgroupManager::kCgroupfs;
  plan.path = "/bashcell/%s";
  plan.memory = plan.swap = plan.cpu = plan.pids = true;
  return plan;
}

json config_for(const CellSpec& spec, const CgroupPlan& plan = full_plan(), const HostFacts& host = {}) {
  const RootPlan root = {{RootEntry::Kind::kFolder, "tmp", {}, {}, 01777},
                         {RootEntry::Kind::kBind, "usr", "/usr", {}, 0755}};
  return make_config(spec, "bashcell-1-2-abcdef01-00000001", "/run/bashcell/roots/root-1", root, plan, host);
}

json mount_at(const json& config, const std::string& destination) {
  for (const json& mount : config["mounts"]) {
    if (mount["destination"] == destination) return mount;
  }
  return nullptr;
}

bool has_option(const json& mount, const std::string& option) {
  const json& options = mount.at("options");
  return std::find(options.begin(), options.end(), option) != options.end();
}

}  // namespace

TEST_CASE("the process is the supervisor, without rights and with nothing of the host's environment") {
  CellSpec spec = some_spec();
  spec.environment = {{"A", "b"}, {"EMPTY", ""}};
  const json process = config_for(spec)["process"];
  CHECK(process["args"] == json({"/run/cell/bashcell-init", "--control-fd", "3"}));
  CHECK(process["env"] == json({"A=b", "EMPTY="}));
  CHECK(process["user"]["uid"] == 1000);
  CHECK(process["user"]["gid"] == 1000);
  CHECK(process["noNewPrivileges"] == true);
  CHECK(process["terminal"] == false);
  CHECK(process["oomScoreAdj"] == 500);
  for (const char* set : {"bounding", "effective", "inheritable", "permitted", "ambient"}) {
    INFO(set);
    CHECK(process["capabilities"][set] == json::array());
  }
}

TEST_CASE("limits are the spec's: no swap on top, cpu as quota and period") {
  CellSpec spec = some_spec();
  spec.cpus = 0.25;
  const json linux_part = config_for(spec)["linux"];
  CHECK(linux_part["cgroupsPath"] == "/bashcell/bashcell-1-2-abcdef01-00000001");
  CHECK(linux_part["resources"]["memory"] == json({{"limit", 512 << 20}, {"swap", 512 << 20}}));
  CHECK(linux_part["resources"]["cpu"] == json({{"quota", 5000}, {"period", 20000}}));
  CHECK(linux_part["resources"]["pids"]["limit"] == 50);
}

TEST_CASE("a cpu share too small for the period gets a longer period") {
  CellSpec spec = some_spec();
  spec.cpus = 0.01;
  const json cpu = config_for(spec)["linux"]["resources"]["cpu"];
  CHECK(cpu["quota"].get<int64_t>() >= 1000);
  CHECK(cpu["quota"].get<double>() / cpu["period"].get<double>() == Approx(0.01));
}

TEST_CASE("what cannot be limited is not asked for") {
  CgroupPlan plan = full_plan();
  plan.swap = plan.cpu = false;
  const json resources = config_for(some_spec(), plan)["linux"]["resources"];
  CHECK(resources["memory"] == json({{"limit", 512 << 20}}));
  CHECK_FALSE(resources.contains("cpu"));

  const json config = config_for(some_spec(), CgroupPlan{});
  CHECK_FALSE(config["linux"].contains("cgroupsPath"));
  CHECK_FALSE(config["linux"].contains("resources"));
  CHECK(mount_at(config, "/sys/fs/cgroup").is_null());
}

TEST_CASE("only the workspace and two bounded tmpfs are writable") {
  CellSpec spec = some_spec();
  spec.tmp_bytes = 1 << 20;
  spec.shm_bytes = 2 << 20;
  const json config = config_for(spec);
  CHECK(config["root"] == json({{"path", "/run/bashcell/roots/root-1"}, {"readonly", true}}));

  const json usr = mount_at(config, "/usr");
  CHECK(usr["source"] == "/usr");
  for (const char* option : {"ro", "rro", "nosuid", "nodev", "rprivate"}) CHECK(has_option(usr, option));
  const json workspace = mount_at(config, "/workspace");
  CHECK(workspace["source"] == "/srv/work");
  for (const char* option : {"rw", "nosuid", "nodev"}) CHECK(has_option(workspace, option));
  CHECK_FALSE(has_option(workspace, "noexec"));
  const json tmp = mount_at(config, "/tmp");
  CHECK(tmp["type"] == "tmpfs");
  for (const char* option : {"size=1048576", "nosuid", "nodev", "exec"}) CHECK(has_option(tmp, option));
  CHECK(has_option(mount_at(config, "/dev/shm"), "size=2097152"));
  CHECK(has_option(mount_at(config, "/sys/fs/cgroup"), "ro"));
  CHECK(has_option(mount_at(config, "/run/cell/bashcell-init"), "ro"));
  CHECK(mount_at(config, "/sys").is_null());
  CHECK(config["linux"]["readonlyPaths"].back() == "/sys/fs/cgroup");
}

TEST_CASE("what is protected in the workspace is mounted over it, folders before what is in them") {
  CellSpec spec = some_spec();
  spec.protection.paths = {{.name = ".git", .read_only = false}, {.name = ".git/hooks"}};
  const json config = config_for(spec);
  const json hooks = mount_at(config, "/workspace/.git/hooks");
  CHECK(hooks["source"] == "/srv/work/.git/hooks");
  for (const char* option : {"ro", "rro", "nosuid", "nodev"}) CHECK(has_option(hooks, option));
  const json git = mount_at(config, "/workspace/.git");
  CHECK(git["source"] == "/srv/work/.git");
  CHECK(has_option(git, "rw"));
  std::vector<std::string> order;
  for (const json& mount : config["mounts"]) {
    if (mount["destination"].get<std::string>().starts_with("/workspace")) order.push_back(mount["destination"]);
  }
  CHECK(order == std::vector<std::string>{"/workspace", "/workspace/.git", "/workspace/.git/hooks"});
}

TEST_CASE("a toolbox is mounted read-only, and programs look there last") {
  CellSpec spec = some_spec();
  CHECK(mount_at(config_for(spec), "/run/cell/tools").is_null());
  CHECK(config_for(spec).dump().find("PYTHONUSERBASE") == std::string::npos);
  spec.toolbox = "/var/cache/box";
  const json config = config_for(spec);
  const json mount = mount_at(config, "/run/cell/tools");
  CHECK(mount["source"] == "/var/cache/box");
  for (const char* option : {"ro", "rro", "nosuid", "nodev"}) CHECK(has_option(mount, option));
  const json& environment = config["process"]["env"];
  CHECK(environment[0] ==
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/cell/bin:/run/cell/tools/bin");
  CHECK(environment.back() == "PYTHONUSERBASE=/run/cell/tools/python");
}

TEST_CASE("a shelf is mounted read-only, and looked into after the toolbox") {
  CellSpec spec = some_spec();
  CHECK(mount_at(config_for(spec), "/run/cell/shelf").is_null());
  spec.toolbox = "/var/cache/box";
  spec.shelf = "/var/lib/shelf";
  const json config = config_for(spec);
  const json mount = mount_at(config, "/run/cell/shelf");
  CHECK(mount["source"] == "/var/lib/shelf");
  for (const char* option : {"ro", "rro", "nosuid", "nodev"}) CHECK(has_option(mount, option));
  CHECK(std::string(config["process"]["env"][0]).ends_with(":/run/cell/tools/bin:/run/cell/shelf/bin"));
}

TEST_CASE("recursive flags are left out where the kernel has none") {
  HostFacts old;
  old.recursive_read_only = false;
  const json usr = mount_at(config_for(some_spec(), full_plan(), old), "/usr");
  CHECK(has_option(usr, "ro"));
  CHECK_FALSE(has_option(usr, "rro"));
}

TEST_CASE("every namespace is new; an ordinary user also gets a user namespace with one id") {
  const json as_root = config_for(some_spec())["linux"];
  std::vector<std::string> types;
  for (const json& one : as_root["namespaces"]) {
    types.push_back(one["type"]);
    CHECK_FALSE(one.contains("path"));
  }
  CHECK(types == std::vector<std::string>{"pid", "mount", "ipc", "uts", "cgroup", "network"});
  CHECK_FALSE(as_root.contains("uidMappings"));

  HostFacts user;
  user.rootless = true;
  user.uid = 1500;
  user.gid = 1600;
  const json rootless = config_for(some_spec(), CgroupPlan{}, user)["linux"];
  CHECK(rootless["uidMappings"] == json({{{"containerID", 1000}, {"hostID", 1500}, {"size", 1}}}));
  CHECK(rootless["gidMappings"] == json({{{"containerID", 1000}, {"hostID", 1600}, {"size", 1}}}));
  CHECK(rootless["namespaces"].back() == json({{"type", "user"}}));
}

TEST_CASE("limits of the caller are respected, since only root could raise them") {
  HostFacts poor;
  poor.open_files_limit = 256;
  poor.oom_score_adj = 900;
  const json process = config_for(some_spec(), full_plan(), poor)["process"];
  CHECK(process["oomScoreAdj"] == 900);
  CHECK(process["rlimits"][0] == json({{"type", "RLIMIT_CORE"}, {"soft", 0}, {"hard", 0}}));
  CHECK(process["rlimits"][1] == json({{"type", "RLIMIT_NOFILE"}, {"soft", 256}, {"hard", 256}}));
}

TEST_CASE("the system call list refuses by default and names what must never be allowed") {
  const json profile = seccomp_profile();
  CHECK(profile == config_for(some_spec())["linux"]["seccomp"]);
  CHECK(profile["defaultAction"] == "SCMP_ACT_ERRNO");
  std::set<std::string> allowed;
  for (const json& rule : profile["syscalls"]) {
    if (rule["action"] != "SCMP_ACT_ALLOW" || rule.contains("args")) continue;
    for (const json& name : rule["names"]) CHECK(allowed.insert(name).second);
  }
  CHECK(allowed.size() > 250);
  for (const char* name : {"ptrace",
                           "mount",
                           "umount2",
                           "unshare",
                           "setns",
                           "clone",
                           "clone3",
                           "kill",
                           "socket",
                           "personality",
                           "bpf",
                           "io_uring_setup",
                           "userfaultfd",
                           "keyctl",
                           "add_key",
                           "request_key",
                           "pidfd_getfd",
                           "process_vm_readv",
                           "process_vm_writev",
                           "name_to_handle_at",
                           "open_by_handle_at",
                           "perf_event_open",
                           "quotactl",
                           "kexec_load",
                           "init_module",
                           "finit_module",
                           "delete_module",
                           "swapon",
                           "reboot",
                           "settimeofday",
                           "clock_settime",
                           "acct",
                           "pivot_root",
                           "chroot",
                           "fsopen",
                           "move_mount",
                           "open_tree",
                           "mount_setattr",
                           "syslog",
                           "iopl",
                           "kcmp"}) {
    INFO(name);
    CHECK(allowed.count(name) == 0);
  }
  for (const char* name : {"execve", "openat", "futex", "statx", "vfork", "wait4", "getrandom", "faccessat2"}) {
    INFO(name);
    CHECK(allowed.count(name) == 1);
  }
}

TEST_CASE("a bundle is a private folder with the configuration, and goes without a trace") {
  const TemporaryFolder folder;
  const auto path = write_bundle(folder.path(), "cell", {{"a", "\xff"}});
  REQUIRE(path);
  struct stat info {};
  REQUIRE(::stat((*path + "/config.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(json::parse(*base::read_file(*path + "/config.json")).contains("a"));
  CHECK_FALSE(write_bundle(folder.path(), "cell", {}));
  // As a server leaves it that is killed while it writes.
  REQUIRE(base::write_file(*path + "/config.json.new.7", ""));
  remove_bundle(*path);
  CHECK_FALSE(std::filesystem::exists(*path));
  remove_bundle(*path);
}
