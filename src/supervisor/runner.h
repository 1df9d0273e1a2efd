#pragma once
// One bash and the process above it.
//
// The runner is a fork of PID 1 that starts bash in a session of its own, reports its pid and its end over a pipe, and
// reaps whatever the call leaves to it until nothing is left. It decides nothing: PID 1 does. As a child subreaper it
// keeps every process of its call below it; it lives as long as any of them, background jobs included.

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "supervisor/fork_server.h"
#include "supervisor/state.h"

namespace bashcell::supervisor {

struct ShellPaths {
  std::string bash = "/bin/bash";
  std::string run_folder = "/run/cell";
  std::string workspace = "/workspace";
};

// A state and the memfd that restores it, shared by every bash started from it.
struct Snapshot {
  ShellState state;
  base::UniqueFd restore;  // sealed memfd: RestoreText::state
  base::UniqueFd late;     // sealed memfd; not valid when there are no such functions
  static base::Result<std::shared_ptr<const Snapshot>> make(ShellState state);
};

// What every bash of a cell gets to see, whatever its state and script.
struct ShellCommons {
  base::UniqueFd boot;   // sealed memfd: boot_text()
  base::UniqueFd alarm;  // sealed memfd, empty
  ForkServer fork_server;
  static base::Result<ShellCommons> make(const ShellPaths& paths);
};

// A bash that has restored its state and waits for a script (prewarmed), or runs it. Owned by PID 1.
struct Runner {
  pid_t pid = -1;
  std::shared_ptr<const Snapshot> start;  // what it restored
  base::UniqueFd reports;                 // RunnerReport structs, then EOF when the runner has ended; non-blocking
  base::UniqueFd output;                  // stdout and stderr of the script; non-blocking
  base::UniqueFd saved;                   // what the EXIT trap writes; non-blocking
  base::UniqueFd script;                  // memfd, empty until release()
  base::UniqueFd go;
  base::UniqueFd go_read;  // the other end: what is still in it has not been read by bash

  // Forks, or lets the fork server do it if that is ready. EAGAIN (the process limit) is the one failure to expect;
  // `*error_number` says which.
  static base::Result<Runner> start_shell(const ShellPaths& paths, ShellCommons& commons,
                                          std::shared_ptr<const Snapshot> start, int* error_number);
  // Hands the script over and lets bash go. Once.
  base::Result<void> release(std::string_view prefix, std::string_view script_text);
  // Before release(): another script of this user has written into its pipes through /proc. It must not be used.
  bool tampered() const;
  // After release() and bash's end: it ended before it came to the script.
  bool script_untouched() const;
};

}  // namespace bashcell::supervisor
