#include "sandbox/session_clock.h"

#include <algorithm>
#include <utility>

namespace bashcell::sandbox {

namespace {

// Of the running time, at most a tenth.
constexpr base::Duration kNotWorthACall{1'000};

}  // namespace

SessionClock::SessionClock(base::EventLoop& loop, SessionLimits limits, std::function<void(CellEnd)> on_limit)
    : loop_(loop), limits_(limits), on_limit_(std::move(on_limit)) {}

SessionClock::~SessionClock() { loop_.cancel(timer_); }

void SessionClock::enter(State state) {
  if (state == state_) return;
  loop_.cancel(timer_);
  const base::Instant time = base::now();
  if (state_ == State::kRunning) used_ += time - since_;
  if (state_ == State::kOff) {
    used_ = {};
    over_ = false;
  }
  state_ = state;
  since_ = time;
  if (state == State::kRunning && limits_.running.count() > 0) arm(left(), CellEnd::kSessionLimit);
  if (state == State::kIdle && limits_.idle.count() > 0) arm(limits_.idle, CellEnd::kIdleLimit);
}

void SessionClock::arm(base::Duration wait, CellEnd end) {
  if (over_) return;
  timer_ = loop_.after(wait, [this, end] {
    over_ = true;
    on_limit_(end);
  });
}

base::Duration SessionClock::left() const {
  const auto used = used_ + (state_ == State::kRunning ? base::now() - since_ : base::Instant::duration{0});
  return std::max(std::chrono::ceil<base::Duration>(limits_.running - used), base::Duration::zero());
}

bool SessionClock::nearly_used_up() const {
  return limits_.running.count() > 0 && left() <= std::min(kNotWorthACall, limits_.running / 10);
}

}  // namespace bashcell::sandbox
