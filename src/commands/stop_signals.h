#pragma once
// SIGTERM, SIGINT and SIGHUP as events of the loop instead of a sudden end.

#include <functional>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace bashcell::commands {

// Calls `on_signal` with the signal's number, each time one comes, while the result lives. The loop must outlive it.
class StopSignals {
 public:
  StopSignals(base::EventLoop& loop, std::function<void(int signal)> on_signal);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  base::EventLoop& loop_;
  base::UniqueFd fd_;
};

}  // namespace bashcell::commands
