#pragma once
// What PID 1 can read about its own cell: the facts of its Hello (P13), and the kernel's counters of limits hit.

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "supervisor/runner.h"
#include "wire/messages.h"

namespace bashcell::supervisor {

// Reads /proc, /sys/fs/cgroup and the mounts, once. What cannot be read stays at its default: "unknown", never "fine".
wire::CellFacts read_facts(const ShellPaths& paths);

// Counters that only grow; compare two readings to know what happened between. -1: cannot be read here.
struct LimitEvents {
  int64_t memory_kills = -1;   // v2 memory.events oom_kill; v1 memory.oom_control oom_kill
  int64_t forks_refused = -1;  // pids.events max
};

// Keeps the files open: a reading costs two system calls, and works at the process and descriptor limits.
class LimitWatch {
 public:
  LimitWatch();
  LimitEvents read() const;
  // How many more processes fit, or a large number when unknown.
  int64_t room_for_processes() const;

 private:
  base::UniqueFd memory_events_;
  base::UniqueFd pids_events_;
  base::UniqueFd pids_current_;
  int64_t pids_max_ = -1;
};

}  // namespace bashcell::supervisor
