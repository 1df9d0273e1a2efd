#pragma once
// Two things measured side by side: blocks of them take turns, so that whatever else the machine does hits both.

#include <chrono>
#include <functional>

#include "samples.h"

namespace bashcell::bench {

inline constexpr auto kPace = std::chrono::milliseconds(30);

struct Pair {
  Samples ours;
  Samples baseline;
};

struct Turns {
  int blocks = 0;
  int block_size = 0;
  std::chrono::milliseconds pace{0};  // between two starts; zero: back to back
};

// Runs each a few times unmeasured first.
Pair take_turns(const std::function<void()>& ours, const std::function<void()>& baseline, const Turns& turns);

}  // namespace bashcell::bench
