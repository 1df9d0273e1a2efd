#pragma once
// One finished call whose output is over the budget, on its way through a filter.
//
// Lives on PID 1's event loop, beside the jobs. Whatever becomes of the filter, the reply goes out: with the filter's
// text if it succeeded in time and hides no error, else as it was, without a word about it.

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/event_loop.h"
#include "supervisor/filter_process.h"
#include "supervisor/output/clean.h"
#include "supervisor/output/trim.h"
#include "wire/messages.h"

namespace bashcell::supervisor {

inline constexpr base::Duration kFilterLimit{2000};
inline constexpr int64_t kMaxFilterBytes = int64_t{8} << 20;  // more would take longer than that on half a processor
inline constexpr int kExitQuotes =
    100;  // of a filter whose input quotes files: an error there is none of the command's
inline constexpr int64_t kRoomForAFilter = 12;  // itself, and as much again for a call that comes

// The script ended by itself, its output is too long, all of it is in the spill, and the host named a filter.
bool wants_filter(const wire::Done& done, const wire::Run& run);

class FilterStage {
 public:
  // `done` is the reply without the filter. `on_done` is called once, never from inside the constructor.
  FilterStage(base::EventLoop& loop, Runner runner, wire::Done done, const wire::Run& run, base::Duration limit,
              std::function<void(wire::Done)> on_done);
  FilterStage(const FilterStage&) = delete;
  FilterStage& operator=(const FilterStage&) = delete;
  ~FilterStage();

  uint64_t id() const { return id_; }
  // The reply is due without it. `cancelled`: nobody wants that any more.
  void give_up(bool cancelled);
  // PID 1 reaped its runner.
  void runner_gone();

 private:
  void on_output();
  void on_reports();
  void conclude(bool succeeded);
  std::optional<wire::Done> filtered();
  void kill_round();

  base::EventLoop& loop_;
  Runner runner_;
  wire::Done done_;
  std::function<void(wire::Done)> on_done_;
  uint64_t id_ = 0;
  std::string name_;
  size_t budget_ = 0;
  Cleaner cleaner_;
  Trimmer trimmer_;
  std::optional<int> cleaner_status_;
  std::optional<int> filter_status_;
  base::EventLoop::TimerId timer_ = 0;
  bool quotes_ = false;
  bool concluded_ = false;
};

}  // namespace bashcell::supervisor
