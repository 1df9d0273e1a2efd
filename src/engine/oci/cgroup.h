#pragma once
// Where control groups are on this machine, and what a cell can get of them: v1, v2 or both (hybrid), as root or as an
// ordinary user to whom systemd, or nobody, has delegated a part.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::engine::oci {

enum class CgroupKind { kNone, kV1, kV2, kHybrid };

// What /proc/self/mountinfo and /proc/self/cgroup say.
struct CgroupLayout {
  CgroupKind kind = CgroupKind::kNone;
  std::map<std::string, std::string> v1_mounts;  // controller -> mount point
  std::string v2_mount;                          // of the cgroup2 file system, also when hybrid
  std::string v2_path;                           // of this process in it, as /proc/self/cgroup gives it
};

CgroupLayout parse_cgroup_layout(std::string_view mountinfo, std::string_view self_cgroup);
CgroupLayout read_cgroup_layout();

enum class CgroupManager {
  kCgroupfs,  // the runtime makes the cgroup itself
  kSystemd,   // the runtime asks the user's systemd for a scope
  kDisabled,  // there is none for the cell
};

// How one cell's limits are to be enforced. A limit that is false here is not even asked for: what the runtime cannot
// set makes it fail without saying which.
struct CgroupPlan {
  CgroupManager manager = CgroupManager::kDisabled;
  std::string path;  // cgroupsPath of the bundle; %s stands for the cell's name. Empty when disabled
  bool memory = false;
  bool swap = false;  // swap can be limited, too
  bool cpu = false;
  bool pids = false;
  std::string reason;  // why limits are missing: one clause; empty when none is
  std::string fix;     // and what to do about it

  // The cgroup below which the runtime makes that of each cell; empty when systemd chooses the place, or there is none.
  std::string parent() const;
  bool complete() const { return memory && cpu && pids; }
  // "memory, cpu and pids": what is missing of the three.
  std::string missing() const;
};

// Root puts its cells under `root_parent` (an absolute cgroup path); an ordinary user into a scope of the own systemd
// when its bus answers at a socket, else beside the own cgroup when that part is delegated, else nowhere. A group that
// holds processes itself is no place for cells with limits: then the plan has none, and says how to make room.
CgroupPlan plan_cgroup(const CgroupLayout& layout, bool rootless, const std::string& root_parent);

// The folders in which cells' cgroups of root lie, for the sweep: one, or with v1 one per controller.
std::vector<std::string> cgroup_folders(const CgroupLayout& layout, const std::string& parent);

}  // namespace bashcell::engine::oci
