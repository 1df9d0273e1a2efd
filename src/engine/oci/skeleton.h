#pragma once
// The part of a cell's root that lies on disk: a small folder with mount points, links and copies, built once and used
// by every cell of the same kind until one of its sources changes.
//
// Several servers may build, use and clean up at once: a skeleton appears whole, by rename, and is in use as long as
// somebody holds a shared flock on its folder.

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "engine/oci/root_plan.h"

namespace bashcell::engine::oci {

struct Skeleton {
  std::string path;
  base::UniqueFd in_use;  // keep it open as long as a cell runs on this skeleton
};

// Finds the skeleton for `plan` in `folder` (roots of the private folder), or builds it and removes those that nobody
// uses any more. Blocks: about 1 ms when it exists, some 20 ms when not.
base::Result<Skeleton> acquire_skeleton(const std::string& folder, const RootPlan& plan);

// What names the skeleton: changes with the plan, with the version of the program and with each source that is copied
// (by inode, size, modification time; of a tree: of each folder in it).
std::string skeleton_key(const RootPlan& plan);

}  // namespace bashcell::engine::oci
