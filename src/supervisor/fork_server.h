#pragma once
// A bash that has been loaded and linked, but has not begun: it forks the bash of each call, with its runner.
//
// To execute bash costs most of what a short call costs, and of that most goes into what is the same each time. The
// fork server is a bash with our shared object in it (fork_agent/), which takes requests where main() would begin. What
// comes of one goes on into main() as any bash does: $$, the environment, signals and descriptors are its own.
//
// Nothing depends on it. Where bash cannot load the object (it is static, or of another C library), or a script has
// killed the server, calls are started without it (Runner::start_shell). Scripts of the same user can send it signals;
// once it is ready, its memory and descriptors are out of their reach (it is not dumpable, see prctl(2)).

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "supervisor/fork_agent/messages.h"

namespace bashcell::supervisor {

class ForkServer {
 public:
  // Starts the server if there is none, and does not wait for it. What never got ready is not started again, what was
  // killed a few times only.
  void start(const std::string& bash, const std::string& run_folder);

  // Whether one is there and takes requests. Does not block.
  bool ready();

  // Forks a runner and a bash, which get the descriptors, in the order of ForkFd; the last may be -1. The runner is a
  // child of this process. Blocks as long as two forks take, at most kPatience. As fork(2), the runner's pid, or -1
  // with errno; nothing when there is no server any more, or none that answers.
  std::optional<pid_t> fork(const std::array<int, kMostForkFds>& fds);
  static constexpr base::Duration kPatience{200};

  // waitpid() has returned `pid`: whether it was the server.
  bool buried(pid_t pid);
  pid_t pid() const { return pid_; }

 private:
  void lose();

  base::UniqueFd socket_;
  pid_t pid_ = -1;  // until it is reaped
  bool ready_ = false;
  bool was_ready_ = false;
  int starts_ = 0;
};

}  // namespace bashcell::supervisor
