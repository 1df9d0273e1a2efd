#include "pace.h"

#include <time.h>

namespace bashcell::bench {

namespace {

constexpr int kWarmUp = 5;

void sleep_until(std::chrono::steady_clock::time_point instant) {
  const auto since_boot = instant.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec when{seconds.count(), static_cast<long>(std::chrono::nanoseconds(since_boot - seconds).count())};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) != 0) {
  }
}

// `count` timed runs, whose starts are `pace` apart (zero: back to back).
void run_block(int count, std::chrono::milliseconds pace, const std::function<void()>& action, Samples& into) {
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    if (pace.count() > 0) sleep_until(next += pace);
    into.add(milliseconds_of(action));
  }
}

}  // namespace

Pair take_turns(const std::function<void()>& ours, const std::function<void()>& baseline, const Turns& turns) {
  Samples ignored;
  run_block(kWarmUp, turns.pace, ours, ignored);
  run_block(kWarmUp, turns.pace, baseline, ignored);
  Pair result;
  for (int block = 0; block < turns.blocks; ++block) {
    run_block(turns.block_size, turns.pace, ours, result.ours);
    run_block(turns.block_size, turns.pace, baseline, result.baseline);
  }
  return result;
}

}  // namespace bashcell::bench
