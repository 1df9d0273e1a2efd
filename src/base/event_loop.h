#pragma once
// One thread, poll(2), and callbacks: descriptors, timers, and functions posted from other threads.
//
// Single-threaded but for post() and stop(). A callback must not block. poll() and not epoll, because stdin may be a
// regular file (epoll refuses those).

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace bashcell::base {

class EventLoop {
 public:
  using TimerId = uint64_t;  // 0 is never a timer

  // Needs one descriptor; usable() says whether there was one. An unusable loop must not be run.
  EventLoop();
  bool usable() const { return wake_fd_.valid(); }
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  // Calls `on_ready` with poll's revents whenever one of `events` (POLLIN, POLLOUT) holds, or on error and hang-up.
  // The descriptor stays the caller's and must stay open until unwatch(). Watching a watched one replaces it.
  void watch(int fd, short events, std::function<void(short revents)> on_ready);
  // Changes what is waited for; 0 means errors and hang-up only.
  void set_events(int fd, short events);
  // After this the callback is not called again, also not for events of the current turn.
  void unwatch(int fd);

  // Calls `on_time` once, not before `wait` is over.
  TimerId after(Duration wait, std::function<void()> on_time);
  // A timer that has fired or was cancelled is no error.
  void cancel(TimerId timer);

  // From any thread: runs `action` on the loop's thread in its next turn.
  void post(std::function<void()> action);

  // Until stop(). What is queued then waits for the next run().
  void run();
  // From any thread, also before run().
  void stop();

 private:
  struct Watch {
    short events = 0;
    bool removed = false;
    std::function<void(short)> on_ready;
  };
  struct Timer {
    TimerId id = 0;
    std::function<void()> on_time;
  };

  void wake();
  void run_posted();
  void run_timers();
  int next_timeout() const;

  std::map<int, std::shared_ptr<Watch>> watches_;
  std::multimap<Instant, Timer> timers_;
  TimerId last_timer_ = 0;
  UniqueFd wake_fd_;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by posted_mutex_
  std::atomic<bool> stopping_ = false;
};

}  // namespace bashcell::base
