#include "supervisor/discarded.h"

#include <signal.h>

#include <utility>

#include "supervisor/tree.h"

namespace bashcell::supervisor {

void Discarded::add(Runner runner) {
  const pid_t pid = runner.pid;
  runners_.emplace(pid, std::move(runner));
  kill_round();
}

void Discarded::kill_round() {
  loop_.cancel(timer_);
  timer_ = 0;
  if (runners_.empty()) return;
  for (const auto& [pid, runner] : runners_) {
    ::kill(pid, SIGCONT);  // a stopped runner would not reap
    kill_tree(pid);
  }
  timer_ = loop_.after(kKillRound, [this] { kill_round(); });
}

}  // namespace bashcell::supervisor
