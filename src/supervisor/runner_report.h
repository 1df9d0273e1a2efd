#pragma once
// What a runner writes into its pipe, and how. Wants no C++ run time: the fork agent includes it.

#include <unistd.h>

namespace bashcell::supervisor {

// kEnded, before it kNoShell if no bash came of it, or kNoShell alone.
struct RunnerReport {
  enum Kind : int { kNoShell, kEnded };
  int kind = kNoShell;
  int value = 0;  // errno | its wait status
};

// For the time between fork() and execve(), too. That nobody reads it is no failure: PID 1 is gone, and so will we be.
template <typename Report>
void send_report(int fd, const Report& report) {
  if (::write(fd, &report, sizeof report) < 0) return;
}

}  // namespace bashcell::supervisor
