#include "base/event_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace bashcell::base {

EventLoop::EventLoop() : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

EventLoop::~EventLoop() = default;

void EventLoop::watch(int fd, short events, std::function<void(short)> on_ready) {
  unwatch(fd);
  watches_[fd] = std::make_shared<Watch>(Watch{events, false, std::move(on_ready)});
}

void EventLoop::set_events(int fd, short events) {
  if (const auto found = watches_.find(fd); found != watches_.end()) found->second->events = events;
}

void EventLoop::unwatch(int fd) {
  const auto found = watches_.find(fd);
  if (found == watches_.end()) return;
  found->second->removed = true;
  watches_.erase(found);
}

EventLoop::TimerId EventLoop::after(Duration wait, std::function<void()> on_time) {
  const TimerId id = ++last_timer_;
  timers_.emplace(now() + wait, Timer{id, std::move(on_time)});
  return id;
}

void EventLoop::cancel(TimerId timer) {
  const auto found = std::find_if(timers_.begin(), timers_.end(), [&](const auto& t) { return t.second.id == timer; });
  if (found != timers_.end()) timers_.erase(found);
}

void EventLoop::post(std::function<void()> action) {
  {
    const std::lock_guard<std::mutex> lock(posted_mutex_);
    posted_.push_back(std::move(action));
  }
  wake();
}

void EventLoop::stop() {
  stopping_ = true;
  wake();
}

void EventLoop::wake() {
  const uint64_t one = 1;
  // EAGAIN means that a wake-up is pending already.
  if (::write(wake_fd_.get(), &one, sizeof one) < 0) return;
}

void EventLoop::run() {
  std::vector<pollfd> entries;
  std::vector<std::shared_ptr<Watch>> ready;
  while (!stopping_) {
    entries.clear();
    ready.clear();
    entries.push_back({wake_fd_.get(), POLLIN, 0});
    for (const auto& [fd, watch] : watches_) {
      entries.push_back({fd, watch->events, 0});
      ready.push_back(watch);
    }
    const int count = ::poll(entries.data(), entries.size(), next_timeout());
    if (stopping_) break;
    if (count > 0 && entries[0].revents != 0) {
      uint64_t ignored = 0;
      if (::read(wake_fd_.get(), &ignored, sizeof ignored) > 0) run_posted();
    }
    for (size_t i = 1; count > 0 && i < entries.size() && !stopping_; ++i) {
      const std::shared_ptr<Watch>& watch = ready[i - 1];
      // Only what is waited for by now: a callback of this turn may have changed it.
      const int told = entries[i].revents & (watch->events | POLLERR | POLLHUP | POLLNVAL);
      if (told != 0 && !watch->removed) watch->on_ready(static_cast<short>(told));
    }
    if (!stopping_) run_timers();
  }
  stopping_ = false;
}

void EventLoop::run_posted() {
  std::vector<std::function<void()>> actions;
  {
    const std::lock_guard<std::mutex> lock(posted_mutex_);
    actions.swap(posted_);
  }
  for (const auto& action : actions) {
    if (stopping_) return;
    action();
  }
}

void EventLoop::run_timers() {
  // Only what was due when this turn began: a timer that re-arms itself with zero cannot starve the descriptors.
  const Instant due = now();
  while (!stopping_ && !timers_.empty() && timers_.begin()->first <= due) {
    const Timer timer = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    timer.on_time();
  }
}

int EventLoop::next_timeout() const {
  if (timers_.empty()) return -1;
  const auto left = until(timers_.begin()->first).count();
  return static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max()));
}

}  // namespace bashcell::base
