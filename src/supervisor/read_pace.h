#pragma once
// When to read a script's output again: a script that prints little by little would wake PID 1 for each little, which
// costs both more than the output itself. What comes in the meantime waits in the pipe.
//
// The beginning is read as it comes, and so is what comes fast. Pure.

#include <algorithm>
#include <cstddef>

#include "base/clock.h"

namespace bashcell::supervisor {

// Room in the pipe for what comes during the longest pause, at more than what a cell's processor share can print.
inline constexpr int kOutputPipeBytes = 256 * 1024;

class ReadPace {
 public:
  static constexpr size_t kAtOnce = size_t{64} * 1024;       // from the beginning
  static constexpr size_t kWorthWaking = size_t{32} * 1024;  // the least that a pause should bring
  static constexpr base::Duration kLongest{4};

  // After a turn that brought `bytes`: how long to wait before the next one.
  base::Duration pause_after(size_t bytes) {
    total_ += bytes;
    if (total_ < kAtOnce) return {};
    if (bytes < kWorthWaking) {
      pause_ = std::clamp(2 * pause_, base::Duration(1), kLongest);
    } else if (bytes >= 2 * kWorthWaking) {
      pause_ /= 2;
    }
    return pause_;
  }

 private:
  size_t total_ = 0;
  base::Duration pause_{};
};

}  // namespace bashcell::supervisor
