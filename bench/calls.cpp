#include <fmt/core.h>

#include <stdexcept>

#include "baseline.h"
#include "pace.h"
#include "parts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kPacedBlocks = 5, kPacedBlockSize = 20;    // 100 samples a round of each kind
constexpr int kDenseBlocks = 20, kDenseBlockSize = 100;  // 2,000: enough for a p99

void expect_hi(const std::string& output) {
  if (output.rfind("hi", 0) != 0) throw std::runtime_error("`echo hi` gave: " + output);
}

// Against a bare bash, which takes turns with ours.
Pair measure(Server& server, int blocks, int block_size, std::chrono::milliseconds pace) {
  return take_turns([&] { expect_hi(server.call("echo hi")); }, [] { expect_hi(bare_bash("echo hi")); },
                    {blocks, block_size, pace});
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
