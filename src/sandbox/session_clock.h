#pragma once
// How long a session has run and rested, and the two limits on that: its running time, and its rest.
//
// Running time is time in which at least one call runs: two side by side are not counted twice, and a call that waits
// for something outside of its cell does not count. By the monotonic clock alone, so setting the machine's time changes
// nothing. On the event loop's thread.

#include <functional>

#include "base/event_loop.h"

namespace bashcell::sandbox {

// 0: none.
struct SessionLimits {
  base::Duration running{0};
  base::Duration idle{0};
};

// Why a cell has ended. By its own fault, or by one of these limits.
enum class CellEnd { kFailure, kSessionLimit, kIdleLimit };

class SessionClock {
 public:
  enum class State {
    kOff,      // there is no cell: a new session begins with the next other state
    kIdle,     // no call is there
    kWaiting,  // there are calls, but none runs
    kRunning,
  };

  // `on_limit` is called from the loop, once for each session.
  SessionClock(base::EventLoop& loop, SessionLimits limits, std::function<void(CellEnd)> on_limit);
  SessionClock(const SessionClock&) = delete;
  SessionClock& operator=(const SessionClock&) = delete;
  ~SessionClock();

  // Said again, it changes nothing.
  void enter(State state);
  // So little is left that no other call is worth starting.
  bool nearly_used_up() const;
  const SessionLimits& limits() const { return limits_; }

 private:
  base::Duration left() const;
  void arm(base::Duration wait, CellEnd end);

  base::EventLoop& loop_;
  SessionLimits limits_;
  std::function<void(CellEnd)> on_limit_;
  State state_ = State::kOff;
  base::Instant since_;              // when it began to be kRunning
  base::Instant::duration used_{0};  // before that
  bool over_ = false;                // this session's limit has been told
  base::EventLoop::TimerId timer_ = 0;
};

}  // namespace bashcell::sandbox
