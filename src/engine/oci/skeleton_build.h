#pragma once
// Writes a skeleton: the folders, files, links and copies of a plan, below an existing empty folder.

#include <string>

#include "base/result.h"
#include "engine/oci/root_plan.h"

namespace bashcell::engine::oci {

// Modes are as planned whatever the umask is, and everything is readable for everybody: a cell's user is none that the
// folder belongs to. Of copies only what everybody may read at the source is taken; the rest is left out silently.
base::Result<void> build_skeleton(const std::string& root, const RootPlan& plan);

}  // namespace bashcell::engine::oci
