#include <filesystem>
#include <stdexcept>

#include "parts.h"
#include "runtime_baseline.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kHandshakes = 20;  // a round
constexpr int kFirstCalls = 10;

double first_call(const Subject& subject, const std::string& workspace, const std::vector<std::string>& options) {
  Server server(subject.program, workspace, options);
  server.initialize();
  std::string reply;
  const double took = milliseconds_of([&] { reply = server.call("echo hi"); });
  if (reply.rfind("hi", 0) != 0) throw std::runtime_error("the first call gave: " + reply);
  server.close();
  return took;
}

// Ours and the bare runtime take turns.
void measure_first_calls(const Subject& subject, const std::string& runtime, Row& row) {
  const Workspace workspace;
  const std::vector<std::string> options{"--runtime", runtime};
  engine::CellSpec spec;
  spec.workspace = workspace.path();
  spec.supervisor = std::filesystem::path(subject.program).parent_path() / "bashcell-init";
  RuntimeBaseline bare(runtime, spec);
  Samples ours;
  Samples baseline;
  for (int i = 0; i < kFirstCalls; ++i) {
    ours.add(first_call(subject, workspace.path(), options));
    baseline.add(bare.run());
  }
  row.add_round(ours.median(), baseline.median());
}

}  // namespace

std::vector<Row> measure_start(const Subject& subject) {
  Row handshake{"start to `initialize` answered, p50", "ms", {}, {}, {}, 10.0};
  Row first{"first call with cell start, vs bare runc run, p50", "ms", {}, {}, {}, 1.5};
  const Workspace workspace;
  for (int round = 0; round < subject.rounds; ++round) {
    Samples handshakes;
    for (int i = 0; i < kHandshakes; ++i) {
      const auto start = std::chrono::steady_clock::now();
      Server server(subject.program, workspace.path());
      server.initialize();
      handshakes.add(milliseconds_since(start));
      server.close();
    }
    handshake.add_round(handshakes.median());
    measure_first_calls(subject, "runc", first);
  }
  return {handshake, first};
}

}  // namespace bashcell::bench
