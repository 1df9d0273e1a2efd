#pragma once
// Child programs of the host, and telling one process from another that later got its pid.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::base {

struct SpawnOptions {
  std::vector<std::string> argv;         // argv[0] is the path of the program; PATH is not searched
  std::vector<std::string> environment;  // "NAME=value"; nothing is inherited
  // child's number <- our descriptor (still ours). 0, 1 and 2 default to /dev/null; all others are closed.
  std::vector<std::pair<int, int>> descriptors;
  std::string directory;  // empty: ours
  bool new_session = false;
};

// What wait(2) said of a child that has ended.
struct ExitStatus {
  bool signaled = false;
  int code = 0;  // the exit code, or the signal's number
};

// A child that was started and not yet reaped. The destructor neither kills nor waits: a child that outlives its owner
// is left to run (the engine's runtime does, on purpose).
class Child {
 public:
  Child() = default;
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&& other) noexcept {
    pid_ = std::exchange(other.pid_, -1);
    return *this;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // -1 once reaped: the number is free for others from then on, so it is never signalled again.
  pid_t pid() const { return pid_; }
  bool running() const { return pid_ > 0; }

  // Reaps if it has ended; never blocks.
  std::optional<ExitStatus> poll();
  // Blocks until it ends, or until `timeout` is over (then nothing).
  std::optional<ExitStatus> wait(Duration timeout);
  void kill(int signal) const;

 private:
  pid_t pid_ = -1;
};

// For exec(3) and its kind: pointers into the words, which change nothing in them and must stay, and a null one.
std::vector<char*> argv_of(const std::vector<std::string>& words);

// posix_spawn with default signal dispositions and an empty mask. Safe in a threaded program.
Result<Child> spawn(const SpawnOptions& options);

struct Captured {
  ExitStatus status;
  std::string output;  // stdout and stderr in one, at most 64 KiB
  bool timed_out = false;
};

// Runs a short helper program to its end, or kills it at `timeout`. Blocks.
Result<Captured> run_captured(SpawnOptions options, Duration timeout);

// The first executable regular file of that name in PATH and then in the usual system folders (clients often start
// servers with a stripped PATH). A name with a slash is checked as it is.
std::optional<std::string> find_program(const std::string& name);

// A process, told from others that reuse its pid by its start time (field 22 of /proc/PID/stat, in clock ticks since
// boot) and by the boot (the first 8 hex digits of /proc/sys/kernel/random/boot_id).
struct ProcessIdentity {
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  std::string boot;

  static ProcessIdentity self();
  // True while that very process exists (a zombie counts as gone).
  bool alive() const;
};

}  // namespace bashcell::base
