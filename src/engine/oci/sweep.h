#pragma once
// Removes what servers that no longer run have left: runtime state, bundles, control groups. The owner is in the name
// (cell_name.h); what a running server owns, and what is not named by us, is never touched.

#include <memory>
#include <string>
#include <vector>

#include "engine/oci/cgroup.h"
#include "engine/oci/reaper.h"
#include "engine/private_folder.h"

namespace bashcell::engine::oci {

struct SweepOptions {
  PrivateFolder folder;
  CgroupLayout layout;
  std::string cgroup_parent;  // the cgroup in which cells' groups lie; empty: none of ours to look at
  bool rootless = false;
};

// Does what can be done at once itself and starts the runtime that made it for the rest, without waiting for it.
// Returns how many cells it found.
size_t sweep(const SweepOptions& options, Reaper& reaper);

}  // namespace bashcell::engine::oci
