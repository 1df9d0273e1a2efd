#pragma once
// Shells that waited for a script in vain: killed in rounds until PID 1 has reaped their runners.
//
// In rounds: one that was thrown away just after its start has no bash yet, and would start one that waits for ever.

#include <map>

#include "base/event_loop.h"
#include "supervisor/runner.h"

namespace bashcell::supervisor {

class Discarded {
 public:
  explicit Discarded(base::EventLoop& loop) : loop_(loop) {}
  Discarded(const Discarded&) = delete;
  Discarded& operator=(const Discarded&) = delete;
  ~Discarded() { loop_.cancel(timer_); }

  // One that was never released.
  void add(Runner runner);
  bool contains(pid_t runner) const { return runners_.contains(runner); }
  // waitpid() has returned `runner`: whether it was one of these.
  bool buried(pid_t runner) { return runners_.erase(runner) > 0; }

 private:
  void kill_round();

  base::EventLoop& loop_;
  std::map<pid_t, Runner> runners_;  // their pipes stay open as long
  base::EventLoop::TimerId timer_ = 0;
};

}  // namespace bashcell::supervisor
