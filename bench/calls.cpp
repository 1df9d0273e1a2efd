#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "baseline.h"
#include "parts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr auto kPace = std::chrono::milliseconds(30);
constexpr int kWarmUp = 5;
constexpr int kPacedBlocks = 5, kPacedBlockSize = 20;    // 100 samples a round of each kind
constexpr int kDenseBlocks = 20, kDenseBlockSize = 100;  // 2,000: enough for a p99

struct Pair {
  Samples ours;
  Samples baseline;
};

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

void expect_hi(const std::string& output) {
  if (output.rfind("hi", 0) != 0) throw std::runtime_error("`echo hi` gave: " + output);
}

// Blocks of ours and of the baseline take turns, so that whatever else the machine does hits both.
Pair measure(Server& server, int blocks, int block_size, std::chrono::milliseconds pace) {
  const auto ours = [&] { expect_hi(server.call("echo hi")); };
  const auto bare = [] { expect_hi(bare_bash("echo hi")); };
  Samples ignored;
  run_block(kWarmUp, pace, ours, ignored);
  run_block(kWarmUp, pace, bare, ignored);
  Pair result;
  for (int block = 0; block < blocks; ++block) {
    run_block(block_size, pace, ours, result.ours);
    run_block(block_size, pace, bare, result.baseline);
  }
  return result;
}

// 50 functions and 200 variables, of a size that people write.
std::string large_state() {
  std::string script;
  for (int i = 0; i < 50; ++i) {
    script += fmt::format(
        "function_{0} () {{\n  local name=$1 count={0}\n  if [[ -n $name ]]; then\n    printf '%s %s\\n' \"$name\" "
        "\"$count\"\n"
        "  else\n    return 1\n  fi\n}}\n",
        i);
  }
  for (int i = 0; i < 200; ++i) script += fmt::format("variable_{0}='value number {0} of a usual length'\n", i);
  return script + "[[ $(declare -F | grep -c function_) == 50 ]] && echo hi from the state\n";
}

}  // namespace

std::vector<Row> measure_calls(const Subject& subject) {
  Row paced{"echo hi, 30 ms apart, p50", "ms", {}, {}, {}, 1.0};
  Row paced_tail{"echo hi, 30 ms apart, p99", "ms", {}, {}, {}, {}};
  Row dense{"echo hi, back to back, p50", "ms", {}, {}, {}, 2.0};
  Row dense_tail{"echo hi, back to back, p99", "ms", {}, {}, {}, 20.0};
  Row state{"echo hi, 50 functions, 200 variables, 30 ms, p50", "ms", {}, {}, {}, 2.0};
  Row state_dense{"echo hi, 50 functions, 200 variables, dense, p50", "ms", {}, {}, {}, {}};
  for (int round = 0; round < subject.rounds; ++round) {
    const Workspace workspace;
    Server server(subject.program, workspace.path());
    server.initialize();
    const Pair spaced = measure(server, kPacedBlocks, kPacedBlockSize, kPace);
    paced.add_round(spaced.ours.median(), spaced.baseline.median());
    paced_tail.add_round(spaced.ours.percentile(99), spaced.baseline.percentile(99));
    const Pair close = measure(server, kDenseBlocks, kDenseBlockSize, {});
    dense.add_round(close.ours.median(), close.baseline.median());
    dense_tail.add_round(close.ours.percentile(99));
    expect_hi(server.call(large_state()));
    const Pair loaded = measure(server, kPacedBlocks, kPacedBlockSize, kPace);
    state.add_round(loaded.ours.median(), loaded.baseline.median());
    const Pair loaded_dense = measure(server, kPacedBlocks, kPacedBlockSize, {});
    state_dense.add_round(loaded_dense.ours.median(), loaded_dense.baseline.median());
    expect_hi(server.call("[[ $(declare -F | grep -c function_) == 50 && $variable_199 ]] && echo hi"));
    server.close();
  }
  return {paced, paced_tail, dense, dense_tail, state, state_dense};
}

}  // namespace bashcell::bench
