#include "sandbox/sandbox.h"

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace bashcell;
using namespace bashcell::sandbox;

TEST_CASE("the cell starts with the first call and is kept") {
  Fixture f;
  f.cells = {echo_forever};
  f.make();
  CHECK(f.engine.started.empty());
  CHECK(output_of(f.run({"one"})[0]) == "one");
  CHECK(f.engine.started.size() == 1);
}

TEST_CASE("calls beyond the limit wait their turn") {
  Fixture f;
  f.cells = {echo_forever};
  const auto reports = f.run({"1", "2", "3", "4", "5"});
  for (size_t i = 0; i < reports.size(); ++i) CHECK(output_of(reports[i]) == std::to_string(i + 1));
}

TEST_CASE("an engine that fails is reported to every waiting call, and asked again by the next") {
  Fixture f;
  f.engine.failures = {"no runtime: apt-get install runc"};
  f.cells = {echo_forever};
  for (const auto& report : f.run({"a", "b"})) CHECK(refusal_of(report) == "no runtime: apt-get install runc");
  CHECK(output_of(f.run({"again"})[0]) == "again");
}

TEST_CASE("a cell that dies before it greets is told with what the runtime said") {
  Fixture f;
  f.cells = {[](FarEnd far) { far.close(); }};
  CHECK(refusal_of(f.run({"a"})[0]).find("the runtime said no") != std::string::npos);
}

TEST_CASE("a cell is refused for its version, its limits, its shell and its workspace") {
  struct Refused {
    std::function<void(wire::CellHello&)> spoil;
    std::string why;
  };
  const std::vector<Refused> table{
      {[](wire::CellHello& h) { h.version = "9.9.9"; }, "9.9.9"},
      {[](wire::CellHello& h) { h.facts.shell.clear(); }, "bash"},
      {[](wire::CellHello& h) { h.facts.workspace_writable = false; }, "workspace"},
      {[](wire::CellHello& h) { h.facts.pids = 7; }, "too many pids"},
  };
  for (const Refused& refused : table) {
    Fixture f;
    f.options.judge = [](const engine::CellSpec&, const wire::CellFacts& facts) {
      sandbox::LimitCheck check;
      if (facts.pids == 7) check.soft.push_back("too many pids");
      return check;
    };
    f.cells = {[&](FarEnd far) {
      wire::CellHello hello = good_hello();
      refused.spoil(hello);
      far.say(hello);
      far.next_run();
    }};
    CHECK(refusal_of(f.run({"a"})[0]).find(refused.why) != std::string::npos);
  }
}

TEST_CASE("an engine that has another kind of cell is asked for it when one is of no use") {
  Fixture fixture;
  fixture.engine.has_another = true;
  fixture.cells = {[](FarEnd far) { far.close(); },
                   [](FarEnd far) {
                     wire::CellHello hello = good_hello();
                     hello.facts.shell.clear();
                     far.say(hello);
                     far.next_run();
                   },
                   echo_forever};
  fixture.options.judge = [&](const auto&, const auto&) {
    return fixture.engine.started.size() > 1 ? sandbox::LimitCheck{}
                                             : sandbox::LimitCheck{.hard = {"none"}, .soft = {}};
  };
  const auto reports = fixture.run({"one", "two"});
  CHECK(std::get<wire::Done>(reports[0].result).output == "one");
  CHECK(std::get<wire::Done>(reports[1].result).output == "two");
  CHECK_FALSE(reports[0].new_cell);
  REQUIRE(fixture.engine.refusals.size() == 2);
  CHECK(fixture.engine.refusals[0] == "the cell could not be started: the runtime said no");
  CHECK(fixture.engine.refusals[1].find("no /bin/bash in this machine") != std::string::npos);
}

TEST_CASE("a workspace that cannot be written is not the engine's fault") {
  Fixture fixture;
  fixture.engine.has_another = true;
  fixture.cells = {[](FarEnd far) {
    wire::CellHello hello = good_hello();
    hello.facts.workspace_writable = false;
    far.say(hello);
    far.next_run();
  }};
  CHECK(std::holds_alternative<sandbox::NotRun>(fixture.run({"one"})[0].result));
  CHECK(fixture.engine.refusals.empty());
}

TEST_CASE("a script whose cell dies is lost, never repeated; the next call is told of its new cell once") {
  Fixture f;
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               far.next_run();
             },
             echo_forever};
  f.make();
  std::vector<std::string> seen;
  std::vector<CallReport> reports;
  const auto step = [&](const std::string& script, auto then) {
    f.box->run({.script = script}, [&, then](CallReport report) {
      reports.push_back(std::move(report));
      then();
    });
  };
  step("dangerous", [&] { step("second", [&] { step("third", [&] { f.loop.stop(); }); }); });
  f.loop.run();
  REQUIRE(reports.size() == 3);
  CHECK(std::holds_alternative<sandbox::CellLost>(reports[0].result));
  CHECK(output_of(reports[1]) == "second");
  CHECK(reports[1].new_cell);
  CHECK(output_of(reports[2]) == "third");
  CHECK_FALSE(reports[2].new_cell);
}

TEST_CASE("a network is told once by each cell") {
  Fixture f;
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               for (int i = 0; i < 2; ++i) {
                 wire::Done done;
                 done.id = far.next_run()->id;
                 far.say(done);
               }
               far.next_run();
             },
             echo_forever};
  engine::CellSpec spec;
  spec.network = "lab";
  f.box = std::make_unique<sandbox::Sandbox>(
      f.loop, f.engine, [spec] { return spec; }, f.options);
  std::string told;
  for (const char* script : {"first", "second", "its end", "in a new cell", "last"}) {
    told += f.run({script})[0].network + ",";
  }
  CHECK(told == "lab,,,lab,,");
}

TEST_CASE("a cell that sends garbage is ended, and only it") {
  for (const std::string& garbage : {std::string(64, '\xff'), std::string("\x02\0\0\0\0\0\0\0{}", 10)}) {
    Fixture f;
    f.cells = {[&](FarEnd far) {
      far.say(good_hello());
      far.next_run();
      far.bytes(garbage);
      far.next_run();
    }};
    CHECK(std::holds_alternative<sandbox::CellLost>(f.run({"a"})[0].result));
  }
}

TEST_CASE("answers to calls that nobody made are ignored") {
  Fixture f;
  f.cells = {[](FarEnd far) {
    far.say(good_hello());
    const auto run = far.next_run();
    wire::Done invented;
    invented.id = 12345;
    far.say(invented);
    wire::Done done;
    done.id = run->id;
    done.output = "real";
    far.say(done);
    far.say(done);
    far.next_run();
  }};
  CHECK(output_of(f.run({"a"})[0]) == "real");
}

TEST_CASE("a cell that never answers is killed after the deadline has passed by far") {
  Fixture f;
  f.cells = {[](FarEnd far) {
    far.say(good_hello());
    while (far.next_run()) {
    }
  }};
  f.make();
  std::optional<CallReport> report;
  f.box->run({.script = "a", .timeout = base::Duration(50)}, [&](CallReport r) {
    report = std::move(r);
    f.loop.stop();
  });
  f.loop.run();
  CHECK(std::holds_alternative<sandbox::CellLost>(report->result));
  CHECK(f.engine.killed == 1);
}

TEST_CASE("a cancelled call that still waits never runs") {
  Fixture f;
  f.cells = {echo_forever};
  f.make();
  std::optional<CallReport> report;
  const auto id = f.box->run({.script = "a"}, [&](CallReport r) { report = std::move(r); });
  f.box->cancel(id);
  REQUIRE(report);
  CHECK(std::get<wire::Done>(report->result).outcome == wire::Outcome::kCancelled);
  CHECK(output_of(f.run({"b"})[0]) == "b");
}

TEST_CASE("the last line of a call is told to who wants it, and to nobody else") {
  Fixture f;
  f.cells = {[](FarEnd far) {
    far.say(good_hello());
    for (int call = 0; call < 2; ++call) {
      const auto run = far.next_run();
      far.say(wire::Progress{.id = run->id + 1000, .last_line = "of nobody"});
      far.say(wire::Progress{.id = run->id, .last_line = std::to_string(run->progress_ms)});
      wire::Done done;
      done.id = run->id;
      far.say(done);
    }
    far.next_run();
  }};
  f.make();
  std::string told;
  f.box->run(
      {.script = "a", .progress = base::Duration(70), .on_progress = [&](const std::string& line) { told += line; }},
      [&](const CallReport&) { f.loop.stop(); });
  f.loop.run();
  CHECK(told == "70");
  f.run({"b"});
  CHECK(told == "70");
}
