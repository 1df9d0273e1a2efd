#pragma once
// A look at a tree of files that a cell has made, before it is used.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace bashcell::heal {

// Refuses a tree with anything but files, folders and links, with rights beyond the ordinary (set-uid, set-gid,
// sticky), or over `max_bytes`. Follows no link. As root, everything becomes root's on the way, so that nobody else
// changes it any more. A missing tree is an error; an empty one is fine.
base::Result<void> check_and_own_tree(const std::string& path, int64_t max_bytes);

}  // namespace bashcell::heal
