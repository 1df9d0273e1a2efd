// The part of the sandbox that keeps time: of calls that wait for an answer, and of the session.

#include <algorithm>

#include "sandbox/sandbox.h"

namespace bashcell::sandbox {

namespace {

// What is asked must be answered by then; else it is refused. Who answers has limits of his own.
constexpr base::Duration kLongestHold{180'000};

}  // namespace

// The supervisor stops its clock, too, and starts it again when it has the answer.
void Sandbox::hold(CallId id, Call& call, uint64_t ask) {
  if (call.questions.empty()) {
    call.held_since = base::now();
    loop_.cancel(call.outer_deadline);
    call.outer_deadline = loop_.after(kLongestHold, [this, id] { refuse_questions(id); });
  }
  call.questions.insert(ask);
  keep_session_time();
}

void Sandbox::refuse_questions(CallId id) {
  const std::set<uint64_t> open = running_.at(id).questions;
  for (const uint64_t ask : open) respond(ask, id, false, "nobody answered that in time");
}

void Sandbox::release(Call& call, uint64_t ask) {
  if (call.questions.erase(ask) == 0 || !call.questions.empty()) return;
  call.latest += base::now() - call.held_since;
  loop_.cancel(call.outer_deadline);
  call.outer_deadline = loop_.after(base::until(call.latest), [this] { on_wedged(); });
  keep_session_time();
}

void Sandbox::keep_session_time() {
  const bool runs = std::any_of(running_.begin(), running_.end(),
                                [](const auto& running) { return running.second.questions.empty(); });
  const bool idle = running_.empty() && queue_.empty();
  session_.enter(!facts_ ? SessionClock::State::kOff
                 : runs  ? SessionClock::State::kRunning
                 : idle  ? SessionClock::State::kIdle
                         : SessionClock::State::kWaiting);
}

// The calls that run end as at a deadline of their own, and the cell when the last one has.
void Sandbox::on_session_limit(CellEnd end) {
  ending_ = end;
  for (auto& [id, call] : running_) {
    call.session_over = true;
    call.held_since = base::now();
    call.latest = std::min(call.latest, call.held_since + kOuterMargin);
    loop_.cancel(call.outer_deadline);
    call.outer_deadline = loop_.after(base::until(call.latest), [this] { on_wedged(); });
    client_->send(wire::Cancel{.id = id, .late = true});
  }
  if (running_.empty()) end_session();
}

void Sandbox::end_session() {
  options_.log.info("cell " + cell_->id() + " is ended: its session " +
                    (ending_ == CellEnd::kIdleLimit ? "was idle for long" : "has no running time left"));
  leave_cell();
  dispatch();
}

}  // namespace bashcell::sandbox
