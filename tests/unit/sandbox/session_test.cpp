#include <catch2/catch.hpp>

#include "fixture.h"
#include "sandbox/session_clock.h"

using namespace bashcell;
using namespace bashcell::sandbox;

namespace {

wire::Done done_of(uint64_t id, wire::Outcome outcome, std::string output) {
  wire::Done done;
  done.id = id;
  done.outcome = outcome;
  done.output = std::move(output);
  return done;
}

// Runs a script until it is told that its time is over, and waits for the cell's end then.
void run_until_late(FarEnd far) {
  far.say(good_hello());
  const auto run = far.next_run();
  const auto cancel = far.next<wire::Cancel>();
  if (!run || !cancel || !cancel->late || cancel->id != run->id) return;
  far.say(done_of(run->id, wire::Outcome::kTimedOut, "so far"));
  far.next_run();
}

bool timed_out(const CallReport& report) {
  return std::get<wire::Done>(report.result).outcome == wire::Outcome::kTimedOut;
}

}  // namespace

TEST_CASE("a session that is used up ends its calls and its cell, and the next call is told once") {
  Fixture f;
  f.options.session.running = base::Duration(50);
  f.cells = {run_until_late, [&](FarEnd far) { echo_forever(std::move(far)); }};
  const CallReport first = f.run({"long"})[0];
  CHECK(timed_out(first));
  CHECK(output_of(first) == "so far");
  CHECK(first.session_over);
  CHECK_FALSE(first.new_cell);
  const CallReport second = f.run({"second"})[0];
  CHECK(output_of(second) == "second");
  CHECK(second.new_cell);
  CHECK(second.former_end == CellEnd::kSessionLimit);
  CHECK_FALSE(second.session_over);
  CHECK(f.engine.started.size() == 2);
  CHECK(f.engine.killed == 0);
}

TEST_CASE("calls side by side are ended together; what waits gets the next cell") {
  Fixture f;
  f.options.session.running = base::Duration(50);
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               const auto one = far.next_run();
               const auto two = far.next_run();
               far.next<wire::Cancel>();
               far.next<wire::Cancel>();
               far.say(done_of(two->id, wire::Outcome::kTimedOut, "2"));
               far.say(done_of(one->id, wire::Outcome::kTimedOut, "1"));
               far.next_run();
             },
             echo_forever};
  const auto reports = f.run({"one", "two", "three"});
  CHECK(output_of(reports[0]) == "1");
  CHECK(output_of(reports[1]) == "2");
  CHECK(reports[0].session_over);
  CHECK(reports[1].session_over);
  CHECK(output_of(reports[2]) == "three");
  CHECK(reports[2].new_cell);
}

TEST_CASE("a call that came to its own end at the last moment is no timeout") {
  Fixture f;
  f.options.session.running = base::Duration(50);
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               const auto run = far.next_run();
               far.next<wire::Cancel>();
               far.say(done_of(run->id, wire::Outcome::kExited, "whole"));
               far.next_run();
             },
             echo_forever};
  const CallReport report = f.run({"one"})[0];
  CHECK(output_of(report) == "whole");
  CHECK_FALSE(timed_out(report));
  CHECK(f.run({"two"})[0].former_end == CellEnd::kSessionLimit);
}

TEST_CASE("a cell that does not end its calls then is killed") {
  Fixture f;
  f.options.session.running = base::Duration(50);
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               far.next_run();
               far.next_run();
             },
             echo_forever};
  CHECK(std::holds_alternative<CellLost>(f.run({"one"})[0].result));
  CHECK(f.engine.killed == 1);
  CHECK(f.run({"two"})[0].new_cell);
}

TEST_CASE("time that a call waits for an answer is none of the session's") {
  Fixture f;
  f.options.session.running = base::Duration(1'000);
  f.cells = {[](FarEnd far) {
    far.say(good_hello());
    const auto run = far.next_run();
    far.say(wire::Ask{.id = 1, .call = run->id, .verb = "heal", .arguments = {"rg"}});
    far.next<wire::Answer>();
    far.say(done_of(run->id, wire::Outcome::kExited, "answered"));
    far.next_run();
  }};
  f.make();
  f.box->on_question([&](const Question&, Respond respond) {
    f.loop.after(base::Duration(1'100), [respond = std::move(respond)] { respond(true, "done"); });
  });
  const CallReport report = f.run({"waits"})[0];
  CHECK(output_of(report) == "answered");
  CHECK_FALSE(report.session_over);
}

TEST_CASE("a cell without calls ends after the idle limit, and the next call is told") {
  Fixture f;
  f.options.session.idle = base::Duration(30);
  f.cells = {[&](FarEnd far) {
               far.say(good_hello());
               const auto run = far.next_run();
               far.say(done_of(run->id, wire::Outcome::kExited, "first"));
               far.next_run();  // nothing but the end
               f.loop.stop();
             },
             echo_forever};
  CHECK(output_of(f.run({"one"})[0]) == "first");
  f.loop.run();
  const CallReport report = f.run({"two"})[0];
  CHECK(output_of(report) == "two");
  CHECK(report.new_cell);
  CHECK(report.former_end == CellEnd::kIdleLimit);
}

TEST_CASE("a cell that was only warmed ends, too, and there is nothing to tell") {
  Fixture f;
  f.options.session.idle = base::Duration(30);
  f.cells = {[&](FarEnd far) {
               far.say(good_hello());
               far.next_run();
               f.loop.stop();
             },
             echo_forever};
  f.make();
  f.box->warm();
  f.loop.run();
  CHECK_FALSE(f.run({"one"})[0].new_cell);
  CHECK(f.engine.started.size() == 2);
}

TEST_CASE("a cell that dies by itself is told as before") {
  Fixture f;
  f.options.session = {.running = base::Duration(60'000), .idle = base::Duration(60'000)};
  f.cells = {[](FarEnd far) {
               far.say(good_hello());
               far.next_run();
             },
             echo_forever};
  f.run({"one"});
  const CallReport report = f.run({"two"})[0];
  CHECK(report.new_cell);
  CHECK(report.former_end == CellEnd::kFailure);
}

TEST_CASE("running time is counted while something runs, once, and anew for each session") {
  using State = SessionClock::State;
  constexpr base::Duration kLimit{60};
  base::EventLoop loop;
  std::vector<CellEnd> ends;
  SessionClock clock(loop, {.running = kLimit}, [&](CellEnd end) {
    ends.push_back(end);
    loop.stop();
  });
  const auto wait = [&](base::Duration time) {
    loop.after(time, [&] { loop.stop(); });
    loop.run();
  };
  base::Instant begun = base::now();
  clock.enter(State::kRunning);
  clock.enter(State::kRunning);
  clock.enter(State::kWaiting);
  wait(2 * kLimit);  // the limit is not reached, however long this takes
  clock.enter(State::kIdle);
  wait(2 * kLimit);
  CHECK(ends.empty());
  clock.enter(State::kRunning);
  loop.run();
  CHECK(ends == std::vector<CellEnd>{CellEnd::kSessionLimit});
  CHECK(base::now() - begun >= 5 * kLimit - base::Duration(1));
  CHECK(clock.nearly_used_up());

  clock.enter(State::kOff);
  begun = base::now();
  clock.enter(State::kRunning);
  loop.run();
  CHECK(ends.size() == 2);
  CHECK(base::now() - begun >= kLimit);
}

TEST_CASE("a limit of 0 is none") {
  base::EventLoop loop;
  SessionClock clock(loop, {}, [](CellEnd) { FAIL("a limit that is none"); });
  for (const auto state : {SessionClock::State::kRunning, SessionClock::State::kIdle}) {
    clock.enter(state);
    loop.after(base::Duration(5), [&] { loop.stop(); });
    loop.run();
    CHECK_FALSE(clock.nearly_used_up());
  }
}
