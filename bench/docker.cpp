#include <fmt/core.h>

#include <cstdlib>
#include <stdexcept>

#include "baseline.h"
#include "engine_baseline.h"
#include "pace.h"
#include "parts.h"
#include "process_facts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kFirstCalls = 5;  // a round
constexpr int kBlocks = 5, kBlockSize = 20;

void expect_hi(const std::string& output) {
  if (output.rfind("hi", 0) != 0) throw std::runtime_error("`echo hi` gave: " + output);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

struct Engine {
  std::string host = variable("BASHCELL_TEST_DOCKER_HOST");
  std::string image = variable("BASHCELL_TEST_IMAGE");
  std::vector<std::string> options{"--engine", "docker", "--docker-host", host, "--image", image};
};

double first_call(const Subject& subject, const Engine& engine, const std::string& workspace) {
  Server server(subject.program, workspace, engine.options);
  server.initialize();
  std::string reply;
  const double took = milliseconds_of([&] { reply = server.call("echo hi"); });
  expect_hi(reply);
  server.close();
  return took;
}

}  // namespace

std::vector<Row> measure_docker(const Subject& subject) {
  Row first{"docker: first call with cell start, vs create+attach+start", "ms", {}, {}, {}, 1.3};
  Row paced{"docker: echo hi, 30 ms apart, p50", "ms", {}, {}, {}, 1.0};
  Row dense{"docker: echo hi, back to back, p50", "ms", {}, {}, {}, 2.0};
  Row dense_tail{"docker: echo hi, back to back, p99", "ms", {}, {}, {}, 20.0};
  Row exec{"docker: echo hi, vs exec create, start, inspect, p50", "ms", {}, {}, {}, 1.0 / 30};
  Row run{"docker: echo hi, vs `docker run --rm` for each, p50", "ms", {}, {}, {}, 1.0 / 30};
  Row memory{"docker: server, resident after calls", "MB", {}, {}, {}, 14.0};
  Row session{"docker: an idle session, all its processes (PSS)", "MB", {}, {}, {}, {}};
  const Engine engine;
  for (int round = 0; round < subject.rounds; ++round) {
    const Workspace workspace;
    Server server(subject.program, workspace.path(), engine.options);
    server.initialize();
    expect_hi(server.call("echo hi"));
    EngineBaseline bare(engine.host, cell_of(engine.host, server.pid()));

    Samples ours_first;
    Samples bare_first;
    for (int i = 0; i < kFirstCalls; ++i) {
      ours_first.add(first_call(subject, engine, workspace.path()));
      bare_first.add(bare.create_attach_start());
    }
    first.add_round(ours_first.median(), bare_first.median());

    const auto ours = [&] { expect_hi(server.call("echo hi")); };
    const Pair spaced = take_turns(ours, [] { expect_hi(bare_bash("echo hi")); }, {kBlocks, kBlockSize, kPace});
    paced.add_round(spaced.ours.median(), spaced.baseline.median());
    const Pair close = take_turns(ours, [] { expect_hi(bare_bash("echo hi")); }, {kBlocks, 10 * kBlockSize, {}});
    dense.add_round(close.ours.median(), close.baseline.median());
    dense_tail.add_round(close.ours.percentile(99));
    const Pair against_exec =
        take_turns(ours, [&] { expect_hi(bare.exec("echo hi")); }, {kBlocks, kBlockSize / 4, kPace});
    exec.add_round(against_exec.ours.median(), against_exec.baseline.median());
    const std::string run_script = fmt::format("docker -H {} run --rm --network none --entrypoint bash {} -c 'echo hi'",
                                               engine.host, engine.image);
    const Pair against_run = take_turns(ours, [&] { expect_hi(bare_bash(run_script)); }, {kBlocks, 1, kPace});
    run.add_round(against_run.ours.median(), against_run.baseline.median());
    memory.add_round(resident_mb(server.pid()));
    double pss = 0;
    for (const pid_t pid : processes_of_session(server.pid())) pss += proportional_mb(pid);
    session.add_round(pss);
    server.close();
  }
  return {first, paced, dense, dense_tail, exec, run, memory, session};
}

}  // namespace bashcell::bench
