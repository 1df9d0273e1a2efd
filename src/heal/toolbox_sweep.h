#pragma once
// Toolboxes that nobody needs any more: their root file system is gone, or no server has used them for a month.

#include <ctime>
#include <string>

#include "base/file_lock.h"
#include "base/result.h"
#include "heal/toolbox.h"

namespace bashcell::heal {

inline constexpr std::time_t kToolboxKept = std::time_t{30} * 86'400;

// While this lives, `toolbox` stays: a shared lock on a file in it. A server has one for as long as it may have cells.
class ToolboxUse {
 public:
  // `rootfs`: the given root file system's folder that the tools are for; empty: another kind of root.
  static base::Result<ToolboxUse> begin(const std::string& folder, engine::User user, const std::string& rootfs);

 private:
  explicit ToolboxUse(base::FileLock lock) : lock_(std::move(lock)) {}

  base::FileLock lock_;
};

// Removes those beside `folder` that nobody uses and nobody needs at that time; the files in the background. Toolboxes
// of servers that run are never touched, whatever their age.
void sweep_toolboxes(const std::string& folder, std::time_t now);

// Renames it out of the way and removes it in the background: a big tree takes seconds, and the caller's cells would
// take its silence for its end. When the program ends before that, an old-* folder is left for the next sweep.
void remove_soon(const std::string& path);

}  // namespace bashcell::heal
