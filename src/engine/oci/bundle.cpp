#include "engine/oci/bundle.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "engine/cell_name.h"
#include "engine/seccomp.h"

namespace bashcell::engine::oci {

namespace {

constexpr const char* kHosts = "hosts";  // in the bundle

std::string file_count(int64_t bytes) { return fmt::format("nr_inodes={}", tmpfs_files(bytes)); }

using nlohmann::json;

json mount(const char* destination, const char* type, json options) {
  return {{"destination", destination}, {"type", type}, {"source", type}, {"options", std::move(options)}};
}

// With everything mounted below the source: without that an unprivileged mount namespace may not bind at all. What is
// mounted there must be as restricted as the top, hence the recursive flags where the kernel has them.
json bind_mount(const std::string& source, const std::string& destination, bool read_only, bool recursive_flags) {
  json options = {"rbind", "rprivate", "nosuid", "nodev", read_only ? "ro" : "rw"};
  if (recursive_flags) {
    options.insert(options.end(), {"rnosuid", "rnodev"});
    if (read_only) options.push_back("rro");
  }
  return {{"destination", destination}, {"type", "bind"}, {"source", source}, {"options", std::move(options)}};
}

// A given root file system has its own, which names a server that the cell may not reach.
void cover_resolv_conf(json& list, const CellSpec& spec, const std::string& root_path, const RootPlan& root) {
  struct stat info {};
  const std::string theirs = spec.rootfs + "/etc/resolv.conf";
  const bool ours =
      std::any_of(root.begin(), root.end(), [](const RootEntry& entry) { return "/" + entry.path == kResolvConf; });
  if (!ours || spec.rootfs.empty() || ::lstat(theirs.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  list.push_back(bind_mount(root_path + kResolvConf, "/etc/resolv.conf", true, false));
}

json mounts(const CellSpec& spec, const std::string& root_path, const RootPlan& root, const CgroupPlan& cgroup,
            const HostFacts& host) {
  json list = json::array();
  for (const RootEntry& entry : root) {
    if (entry.kind != RootEntry::Kind::kBind) continue;
    list.push_back(bind_mount(entry.source, "/" + entry.path, true, host.recursive_read_only));
  }
  list.push_back(mount("/proc", "proc", {"nosuid", "noexec", "nodev"}));
  list.push_back(mount("/dev", "tmpfs", {"nosuid", "noexec", "strictatime", "mode=755", "size=64k"}));
  list.push_back(mount(
      "/dev/shm", "tmpfs",
      {"nosuid", "noexec", "nodev", "mode=1777", fmt::format("size={}", spec.shm_bytes), file_count(spec.shm_bytes)}));
  list.push_back(mount(
      "/tmp", "tmpfs",
      {"nosuid", "nodev", "exec", "mode=1777", fmt::format("size={}", spec.tmp_bytes), file_count(spec.tmp_bytes)}));
  // Of /sys only the cell's own control group, so that PID 1 can read the limits as they are. Without one, the group
  // seen there would be the caller's.
  if (cgroup.manager != CgroupManager::kDisabled) {
    list.push_back(mount("/sys/fs/cgroup", "cgroup", {"nosuid", "noexec", "nodev", "ro"}));
  }
  cover_resolv_conf(list, spec, root_path, root);
  // Its own name leads to itself. A relative source is one in the bundle (runtime-spec, config.md, mounts).
  if (spec.rootfs.empty()) list.push_back(bind_mount(kHosts, "/etc/hosts", true, false));
  for (const HostMount& mount : workspace_mounts(spec)) {
    list.push_back(bind_mount(mount.source, mount.target, mount.read_only, host.recursive_read_only));
  }
  list.push_back(bind_mount(spec.supervisor, kCellSupervisor, true, false));
  if (!spec.toolbox.empty()) list.push_back(bind_mount(spec.toolbox, kCellTools, true, host.recursive_read_only));
  if (!spec.shelf.empty()) list.push_back(bind_mount(spec.shelf, kCellShelf, true, host.recursive_read_only));
  return list;
}

json process(const CellSpec& spec, const HostFacts& host) {
  json environment = json::array();
  for (const auto& [name, value] : cell_environment(spec)) environment.push_back(name + "=" + value);
  const uint64_t open_files = std::min(kOpenFilesHard, host.open_files_limit);
  const auto none = json::array();
  return {
      {"terminal", false},
      {"user", {{"uid", spec.user.uid}, {"gid", spec.user.gid}, {"umask", 022}}},
      {"args", {kCellSupervisor, "--control-fd", "3"}},
      {"env", std::move(environment)},
      // Not /workspace: where its owner shuts this user out, the supervisor can still start and say so.
      {"cwd", "/"},
      {"noNewPrivileges", true},
      {"capabilities",
       {{"bounding", none}, {"effective", none}, {"inheritable", none}, {"permitted", none}, {"ambient", none}}},
      {"oomScoreAdj", std::max(kOomScoreAdj, host.oom_score_adj)},
      {"rlimits",
       {{{"type", "RLIMIT_CORE"}, {"soft", 0}, {"hard", 0}},
        {{"type", "RLIMIT_NOFILE"}, {"soft", std::min(kOpenFilesSoft, open_files)}, {"hard", open_files}}}},
  };
}

json resources(const CellSpec& spec, const CgroupPlan& cgroup) {
  json limits = {{"devices", {{{"allow", false}, {"access", "rwm"}}}}};
  if (cgroup.memory) limits["memory"]["limit"] = spec.memory_bytes;
  // The runtime's number is memory and swap together: equal means no swap.
  if (cgroup.swap) limits["memory"]["swap"] = spec.memory_bytes;
  if (cgroup.cpu) {
    const CpuTime cpu = cpu_time(spec);
    limits["cpu"] = {{"quota", cpu.quota_us}, {"period", cpu.period_us}};
  }
  if (cgroup.pids) limits["pids"]["limit"] = spec.pids;
  return limits;
}

json linux_part(const CellSpec& spec, const std::string& cell_name, const CgroupPlan& cgroup, const HostFacts& host,
                const CellNetwork& network) {
  json namespaces = json::array();
  for (const char* type : {"pid", "mount", "ipc", "uts", "cgroup"}) namespaces.push_back({{"type", type}});
  if (!network.of_host) namespaces.push_back({{"type", "network"}});
  if (!network.namespace_path.empty()) namespaces.back()["path"] = network.namespace_path;
  json part = {
      {"rootfsPropagation", "rprivate"},
      {"seccomp", seccomp_profile()},
      {"maskedPaths",
       {"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
        "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/proc/interrupts", "/sys/firmware"}},
      {"readonlyPaths", {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}},
  };
  if (host.rootless) {
    // One id, the caller's own, under the number that the cell's user has: files in the workspace keep one owner, and
    // no helper that is set-uid root is needed.
    namespaces.push_back({{"type", "user"}});
    part["uidMappings"] = {{{"containerID", spec.user.uid}, {"hostID", host.uid}, {"size", 1}}};
    part["gidMappings"] = {{{"containerID", spec.user.gid}, {"hostID", host.gid}, {"size", 1}}};
  }
  part["namespaces"] = std::move(namespaces);
  if (cgroup.manager != CgroupManager::kDisabled) {
    part["resources"] = resources(spec, cgroup);
    // With v1 the controllers are mounted below a tmpfs, which crun leaves writable for everybody.
    part["readonlyPaths"].push_back("/sys/fs/cgroup");
    const size_t at = cgroup.path.find("%s");
    part["cgroupsPath"] =
        at == std::string::npos ? cgroup.path : cgroup.path.substr(0, at) + cell_name + cgroup.path.substr(at + 2);
  }
  return part;
}

}  // namespace

HostFacts HostFacts::read() {
  HostFacts facts;
  facts.uid = ::geteuid();
  facts.gid = ::getegid();
  facts.rootless = facts.uid != 0;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) facts.open_files_limit = files.rlim_max;
  if (const base::Result<std::string> score = base::read_file("/proc/self/oom_score_adj"))
    facts.oom_score_adj = std::atoi(score->c_str());
  utsname name{};
  int major = 0;
  int minor = 0;
  if (::uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2) {
    facts.recursive_read_only = major > 5 || (major == 5 && minor >= 12);
  }
  return facts;
}

json make_config(const CellSpec& spec, const std::string& cell_name, const std::string& root_path, const RootPlan& root,
                 const CgroupPlan& cgroup, const HostFacts& host, const CellNetwork& network) {
  return {
      {"ociVersion", "1.0.0"},
      {"process", process(spec, host)},
      {"root", {{"path", root_path}, {"readonly", true}}},
      {"hostname", host_name(cell_name)},
      {"mounts", mounts(spec, root_path, root, cgroup, host)},
      {"linux", linux_part(spec, cell_name, cgroup, host, network)},
  };
}

base::Result<std::string> write_bundle(const std::string& folder, const std::string& cell_name, const json& config) {
  std::string path = folder + "/" + cell_name;
  if (::mkdir(path.c_str(), 0700) != 0) return base::errno_error("cannot make " + path);
  // Paths may hold any bytes, JSON may not: what is replaced here does not exist and fails with a message that shows
  // it.
  const std::string text = config.dump(-1, ' ', false, json::error_handler_t::replace);
  base::Result<void> written = base::write_file(path + "/config.json", text, 0600);
  const std::string hosts = fmt::format("127.0.0.1\tlocalhost {}\n::1\tlocalhost\n", host_name(cell_name));
  if (written) written = base::write_file(path + "/" + kHosts, hosts, 0644);
  if (!written) {
    remove_bundle(path);
    return written.error();
  }
  return path;
}

void remove_bundle(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace bashcell::engine::oci
