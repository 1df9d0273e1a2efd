#pragma once
// Children that nobody waits for any more: runtimes of cells that have ended, and `delete -f` helpers. They are left to
// run; their remains are collected whenever somebody comes by. Safe from any thread.

#include <mutex>
#include <vector>

#include "base/process.h"

namespace bashcell::engine::oci {

class Reaper {
 public:
  void adopt(base::Child child);
  // Never blocks.
  void collect();

 private:
  std::mutex mutex_;
  std::vector<base::Child> children_;  // guarded by mutex_
};

}  // namespace bashcell::engine::oci
