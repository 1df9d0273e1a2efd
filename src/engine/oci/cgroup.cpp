#include "engine/oci/cgroup.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>

#include "base/file.h"

namespace bashcell::engine::oci {

namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> list;
  for (std::string word; in >> word;) list.push_back(word);
  return list;
}

// mountinfo: "36 35 98:0 /root /mount/point options… optional… - fstype source super,options". A cgroup mount point
// with escaped blanks (\040) does not occur in practice and would only make the limits count as missing.
void add_mount(const std::string& line, CgroupLayout& layout) {
  const size_t separator = line.find(" - ");
  if (separator == std::string::npos) return;
  const std::vector<std::string> left = words(line.substr(0, separator));
  const std::vector<std::string> right = words(line.substr(separator + 3));
  if (left.size() < 5 || right.size() < 3) return;
  if (right[0] == "cgroup2" && (layout.v2_mount.empty() || left[4] == "/sys/fs/cgroup")) layout.v2_mount = left[4];
  if (right[0] != "cgroup") return;
  std::istringstream options(right[2]);
  for (std::string option; std::getline(options, option, ',');) layout.v1_mounts.emplace(option, left[4]);
}

bool has_controllers(const CgroupLayout& layout) {
  for (const char* controller : {"memory", "cpu", "pids"}) {
    if (layout.v1_mounts.count(controller) > 0) return true;
  }
  return false;
}

bool writable(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }
bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::set<std::string> words_in(const std::string& file) {
  const base::Result<std::string> text = base::read_file(file);
  const std::vector<std::string> list = words(text ? *text : std::string());
  return {list.begin(), list.end()};
}

// The top group has no memory.swap.max, so that any group below it tells whether the kernel has one.
bool v2_swap_known(const std::string& mount) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(mount, ignored)) {
    if (exists(entry.path() / "memory.max")) return exists(entry.path() / "memory.swap.max");
  }
  return true;
}

// Whether groups below this one can have limits. The kernel lets a group that holds processes itself pass no memory
// controller on (cgroups(7), "no internal processes"); the true top of the hierarchy, which alone has no cgroup.type,
// may.
bool can_limit_below(const std::string& folder) {
  if (words_in(folder + "/cgroup.subtree_control").count("memory") > 0) return true;
  return !exists(folder + "/cgroup.type") || words_in(folder + "/cgroup.procs").empty();
}

CgroupPlan plan_in_the_way(const std::string& folder, const std::string& whose) {
  CgroupPlan plan;
  plan.reason =
      fmt::format("{} is {}, but holds processes itself, so that no group in it can have limits", folder, whose);
  plan.fix = fmt::format(
      "give --limits best-effort, or move them into a group of their own: "
      "mkdir {0}/own; xargs -n1 <{0}/cgroup.procs >{0}/own/cgroup.procs",
      folder);
  return plan;
}

void set_controllers(CgroupPlan& plan, const std::set<std::string>& controllers) {
  plan.memory = controllers.count("memory") > 0;
  plan.cpu = controllers.count("cpu") > 0;
  plan.pids = controllers.count("pids") > 0;
}

CgroupPlan plan_for_root(const CgroupLayout& layout, const std::string& parent) {
  CgroupPlan plan;
  if (layout.kind == CgroupKind::kV2) {
    if (writable(layout.v2_mount) && !can_limit_below(layout.v2_mount)) {
      return plan_in_the_way(layout.v2_mount, "the top of the cgroup hierarchy as seen here (in a container?)");
    }
    set_controllers(plan, words_in(layout.v2_mount + "/cgroup.controllers"));
    if (!writable(layout.v2_mount)) plan = {};
    plan.swap = plan.memory && v2_swap_known(layout.v2_mount);
  } else {
    std::set<std::string> usable;
    for (const auto& [controller, mount] : layout.v1_mounts) {
      if (writable(mount)) usable.insert(controller);
    }
    if (usable.count("cpu") > 0 && !exists(layout.v1_mounts.at("cpu") + "/cpu.cfs_quota_us")) usable.erase("cpu");
    set_controllers(plan, usable);
    plan.swap = plan.memory && exists(layout.v1_mounts.at("memory") + "/memory.memsw.limit_in_bytes");
  }
  if (plan.memory || plan.cpu || plan.pids) {
    plan.manager = CgroupManager::kCgroupfs;
    plan.path = parent + "/%s";
  }
  if (!plan.complete()) {
    plan.reason = "the cgroup hierarchy of this machine has no writable " + plan.missing() + " controller";
    plan.fix =
        "mount the cgroup file systems writable (in a container: run it privileged), or give --limits best-effort";
  }
  return plan;
}

// The socket of the user's session bus, to which systemd's user instance listens.
bool user_bus_exists() {
  struct stat info {};
  const char* folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder == nullptr || folder[0] != '/') return false;
  const std::string base = folder;
  return ::stat((base + "/bus").c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && exists(base + "/systemd/private");
}

// A group where this user may make groups and move processes.
struct DelegatedGroup {
  std::string path;  // in the hierarchy
  bool can_limit_below = false;
};

// The nearest one at or above the own group that can limit what is below it, else the nearest. The own group cannot,
// since it holds this process, but then it is what the user has to know about.
std::optional<DelegatedGroup> delegated_group(const CgroupLayout& layout) {
  std::optional<DelegatedGroup> nearest;
  for (std::filesystem::path at = layout.v2_path; at.has_relative_path(); at = at.parent_path()) {
    const std::string folder = layout.v2_mount + at.string();
    if (!writable(folder) || !writable(folder + "/cgroup.procs") || !writable(folder + "/cgroup.subtree_control"))
      continue;
    const bool usable = at != layout.v2_path && can_limit_below(folder);
    if (usable) return DelegatedGroup{at.string(), true};
    if (!nearest) nearest = DelegatedGroup{at.string(), false};
  }
  return nearest;
}

CgroupPlan plan_for_user(const CgroupLayout& layout) {
  CgroupPlan plan;
  if (layout.kind != CgroupKind::kV2) {
    plan.reason = "an ordinary user cannot set limits in this machine's cgroup v1 hierarchy";
    plan.fix = "run bashcell as root, boot with systemd.unified_cgroup_hierarchy=1, or give --limits best-effort";
    return plan;
  }
  if (user_bus_exists()) {
    const std::string service =
        fmt::format("{}/user.slice/user-{}.slice/user@{}.service", layout.v2_mount, ::geteuid(), ::geteuid());
    set_controllers(plan, words_in(service + "/cgroup.controllers"));
    plan.manager = CgroupManager::kSystemd;
    plan.path = "user.slice::%s";  // slice:prefix:name, systemd's own notation in cgroupsPath
  } else if (const std::optional<DelegatedGroup> group = delegated_group(layout)) {
    const std::string folder = layout.v2_mount + group->path;
    if (!group->can_limit_below) return plan_in_the_way(folder, fmt::format("delegated to uid {}", ::geteuid()));
    set_controllers(plan, words_in(folder + "/cgroup.controllers"));
    plan.manager = CgroupManager::kCgroupfs;
    plan.path = group->path + "/%s";
  }
  plan.swap = plan.memory && v2_swap_known(layout.v2_mount);
  if (!plan.memory && !plan.cpu && !plan.pids) plan.manager = CgroupManager::kDisabled;
  if (plan.manager == CgroupManager::kDisabled) plan.path.clear();
  if (!plan.complete()) {
    plan.reason =
        fmt::format("no part of the cgroup hierarchy with {} is delegated to uid {}", plan.missing(), ::geteuid());
    plan.fix =
        "log in through systemd (loginctl enable-linger) with Delegate=cpu memory pids for user@.service, "
        "run bashcell as root, or give --limits best-effort";
  }
  return plan;
}

}  // namespace

CgroupLayout parse_cgroup_layout(std::string_view mountinfo, std::string_view self_cgroup) {
  CgroupLayout layout;
  std::istringstream mounts{std::string(mountinfo)};
  for (std::string line; std::getline(mounts, line);) add_mount(line, layout);
  std::istringstream groups{std::string(self_cgroup)};
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) == 0) layout.v2_path = line.substr(3);
  }
  if (has_controllers(layout)) {
    layout.kind = layout.v2_mount.empty() ? CgroupKind::kV1 : CgroupKind::kHybrid;
  } else if (!layout.v2_mount.empty()) {
    layout.kind = CgroupKind::kV2;
  }
  return layout;
}

CgroupLayout read_cgroup_layout() {
  const base::Result<std::string> mountinfo = base::read_file("/proc/self/mountinfo");
  const base::Result<std::string> self_cgroup = base::read_file("/proc/self/cgroup");
  return parse_cgroup_layout(mountinfo ? *mountinfo : std::string(), self_cgroup ? *self_cgroup : std::string());
}

std::string CgroupPlan::missing() const {
  std::vector<std::string> names;
  if (!memory) names.emplace_back("memory");
  if (!cpu) names.emplace_back("cpu");
  if (!pids) names.emplace_back("pids");
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

std::string CgroupPlan::parent() const {
  return manager == CgroupManager::kCgroupfs ? path.substr(0, path.rfind('/')) : std::string();
}

CgroupPlan plan_cgroup(const CgroupLayout& layout, bool rootless, const std::string& root_parent) {
  return rootless ? plan_for_user(layout) : plan_for_root(layout, root_parent);
}

std::vector<std::string> cgroup_folders(const CgroupLayout& layout, const std::string& parent) {
  std::set<std::string> folders;
  for (const auto& [controller, mount] : layout.v1_mounts) {
    // v1_mounts also holds mount options such as "rw" and "name=systemd"; they lead to the same mount points.
    folders.insert(mount + parent);
  }
  if (!layout.v2_mount.empty()) folders.insert(layout.v2_mount + parent);
  return {folders.begin(), folders.end()};
}

}  // namespace bashcell::engine::oci
