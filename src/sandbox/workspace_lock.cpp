#include "sandbox/workspace_lock.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"

namespace bashcell::sandbox {

namespace {

constexpr base::Duration kFirstPause{1};
constexpr base::Duration kPauseOfTheNext{5};  // only one at a time waits like that

// The file is never truncated, so what it says has always the same length.
constexpr size_t kNoteLength = 64;

// The monotonic clock is the same for all processes of a boot (clock_gettime(2)).
int64_t milliseconds_now() {
  return std::chrono::duration_cast<base::Duration>(base::now().time_since_epoch()).count();
}

void leave_note(int fd) {
  const std::string note =
      fmt::format("{:<{}}\n", fmt::format("{} {}", ::getpid(), milliseconds_now()), kNoteLength - 1);
  if (::pwrite(fd, note.data(), note.size(), 0) < 0) return;  // then nobody learns who holds it
}

// "", or " by the server with pid 12, for 3 s by now".
std::string holder_of(const std::string& file) {
  const base::Result<std::string> note = base::read_file(file, kNoteLength);
  int64_t pid = 0;
  int64_t since = 0;
  if (!note || std::sscanf(note->c_str(), "%ld %ld", &pid, &since) != 2 || pid <= 0) return "";  // NOLINT: ours
  const base::Duration held{std::max<int64_t>(0, milliseconds_now() - since)};
  return fmt::format(" by the server with pid {}, for {} by now", pid,
                     base::seconds_text(std::chrono::duration_cast<std::chrono::seconds>(held)));
}

}  // namespace

WorkspaceLock::~WorkspaceLock() {
  loop_.cancel(timer_);
  // What waits may end by releasing its ticket.
  const std::deque<Waiting> dropped = std::exchange(queue_, {});
}

WorkspaceLock::Ticket WorkspaceLock::take(OnTaken on_taken) {
  queue_.push_back({++last_ticket_, std::move(on_taken)});
  next_turn();
  return last_ticket_;
}

void WorkspaceLock::release(Ticket ticket) {
  if (ticket != 0 && ticket == holder_) {
    lock_.reset();
    holder_ = 0;
    return next_turn();
  }
  const auto found =
      std::find_if(queue_.begin(), queue_.end(), [ticket](const Waiting& waiting) { return waiting.ticket == ticket; });
  if (found == queue_.end()) return;
  const bool had_turn = found == queue_.begin() && holder_ == 0;
  queue_.erase(found);
  if (!had_turn) return;
  loop_.cancel(std::exchange(timer_, 0));
  turn_.reset();
  next_turn();
}

void WorkspaceLock::next_turn() {
  if (holder_ != 0 || queue_.empty() || timer_ != 0) return;
  timer_ = loop_.after(base::Duration(0), [this] { begin_turn(); });
}

void WorkspaceLock::begin_turn() {
  timer_ = 0;
  begun_ = base::now();
  pause_ = kFirstPause;
  base::Result<Place> place = find_place_();
  if (!place) return end_turn(place.error());
  place_ = std::move(*place);
  try_now();
}

void WorkspaceLock::try_now() {
  timer_ = 0;
  for (std::optional<base::FileLock>* const lock : {&turn_, &lock_}) {
    if (*lock) continue;
    base::LockAttempt attempt =
        base::try_lock(lock == &turn_ ? place_.file + ".next" : place_.file, {.cure = place_.cure});
    if (const base::Error* error = std::get_if<base::Error>(&attempt)) {
      return end_turn(base::Error{error->message + "; nothing was run"});
    }
    if (base::FileLock* held = std::get_if<base::FileLock>(&attempt)) {
      *lock = std::move(*held);
      continue;
    }
    if (base::now() - begun_ >= patience_) return end_turn(busy());
    pause_ = std::min(pause_ * 2, turn_ ? kPauseOfTheNext : base::kLockPoll);
    timer_ = loop_.after(pause_, [this] { try_now(); });
    return;
  }
  leave_note(lock_->fd());
  end_turn({});
}

void WorkspaceLock::end_turn(base::Result<void> result) {
  turn_.reset();
  Waiting waiting = std::move(queue_.front());
  queue_.pop_front();
  if (result) holder_ = waiting.ticket;
  next_turn();
  waiting.on_taken(std::move(result));
}

base::Error WorkspaceLock::busy() const {
  return {fmt::format("workspace busy: {} is locked{}; nothing was run: call again", place_.workspace,
                      holder_of(place_.file))};
}

}  // namespace bashcell::sandbox
