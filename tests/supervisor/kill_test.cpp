#include <signal.h>
#include <catch2/catch.hpp>

#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;
using testing::eventually;
using testing::process_with;
using wire::Outcome;

namespace {

// A sleep that can be told from all others by its argument.
std::string sleeper(const CellUnderTest& cell, int number) {
  return "bash -c 'sleep 1000 # " + cell.folder() + "/" + std::to_string(number) + "\n:'";
}

bool sleeps(const CellUnderTest& cell, int number) {
  return process_with("sleep 1000 # " + cell.folder() + "/" + std::to_string(number));
}

}  // namespace

TEST_CASE("a timeout ends the whole tree, keeps what was printed, and nothing else dies") {
  CellUnderTest cell;
  CHECK(cell.output_of(sleeper(cell, 0) + " & echo bg") == "bg");
  const std::string tree[] = {
      sleeper(cell, 1),
      sleeper(cell, 1) + " & wait",
      "setsid " + sleeper(cell, 1) + " & sleep 1000",
      "(setsid bash -c 'trap \"\" TERM HUP; " + std::string("while :; do sleep 1000; done # ") + cell.folder() +
          "/1' &) ; sleep 1000",
      "trap '' TERM; " + sleeper(cell, 1),
      sleeper(cell, 1) + " & kill -STOP $!; wait",
      "exec " + sleeper(cell, 1),
  };
  for (const std::string& script : tree) {
    INFO(script);
    const wire::Done done = cell.run("echo before; " + script, base::Duration(400));
    CHECK(done.outcome == Outcome::kTimedOut);
    CHECK(done.output == "before");
    CHECK(done.killed >= 1);
    CHECK_FALSE(sleeps(cell, 1));
    CHECK_FALSE(process_with("# " + cell.folder() + "/1"));
    CHECK(sleeps(cell, 0));
  }
}

TEST_CASE("a deadline holds although output never ends, or something holds the pipe") {
  CellUnderTest cell;
  CHECK(cell.run("yes", base::Duration(300)).outcome == Outcome::kTimedOut);
  CHECK(cell.run("sleep 1000 & sleep 900", base::Duration(300)).outcome == Outcome::kTimedOut);
  CHECK(cell.run("exec >&- 2>&-; sleep 900", base::Duration(300)).outcome == Outcome::kTimedOut);
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("a cancel ends one call of several, whatever it is doing") {
  CellUnderTest cell;
  const uint64_t doomed = cell.start(sleeper(cell, 1));
  const uint64_t other = cell.start(sleeper(cell, 2));
  CHECK(eventually([&] { return sleeps(cell, 1) && sleeps(cell, 2); }));
  cell.cancel(doomed);
  const wire::Done done = cell.next_done();
  CHECK(done.id == doomed);
  CHECK(done.outcome == Outcome::kCancelled);
  CHECK_FALSE(sleeps(cell, 1));
  CHECK(sleeps(cell, 2));
  cell.cancel(other);
  CHECK(cell.next_done().id == other);
  cell.cancel(other);
  cell.cancel(999);
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("a script that kills its runner is told so, and leaves nothing running") {
  CellUnderTest cell;
  const wire::Done done = cell.run("(trap '' TERM; " + sleeper(cell, 1) + ") & kill -9 $PPID; sleep 1000");
  CHECK(done.outcome == Outcome::kLost);
  CHECK_FALSE(done.problem.empty());
  CHECK(eventually([&] { return !sleeps(cell, 1); }));
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("a stopped runner delays nothing but its own script") {
  CellUnderTest cell;
  const uint64_t stopped = cell.start("kill -STOP $PPID; sleep 0.1", base::Duration(1000));
  CHECK(cell.start("echo other") > stopped);
  CHECK(cell.next_done().output == "other");
  CHECK(cell.next_done().id == stopped);
}

TEST_CASE("the supervisor's signals are not a script's to use") {
  CellUnderTest cell;
  const std::string pid = std::to_string(cell.pid());
  CHECK(cell.output_of("for s in TERM INT HUP QUIT USR1 USR2 PIPE ALRM; do kill -$s " + pid + "; done; echo ok") ==
        "ok");
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("when the stream ends, everything ends") {
  CellUnderTest cell;
  cell.run("(setsid " + sleeper(cell, 1) + " &); " + sleeper(cell, 2) + " &");
  cell.start("trap '' TERM; " + sleeper(cell, 3));
  CHECK(eventually([&] { return sleeps(cell, 1) && sleeps(cell, 2) && sleeps(cell, 3); }));
  cell.close();
  CHECK(cell.ends());
  CHECK(eventually([&] { return !sleeps(cell, 1) && !sleeps(cell, 2) && !sleeps(cell, 3); }));
}

TEST_CASE("a host that falls silent loses its lease") {
  CellUnderTest cell(300);
  CHECK(cell.ends());
}

TEST_CASE("a ping keeps the lease") {
  CellUnderTest cell(2'000);
  for (int i = 0; i < 3; ++i) {
    cell.send(wire::Ping{});
    CHECK(cell.output_of("sleep 0.8; echo " + std::to_string(i)) == std::to_string(i));
  }
}

TEST_CASE("bytes that are no message end the cell, not more") {
  for (const std::string& bytes : {std::string("\xff\xff\xff\xff\0\0\0\0", 8), std::string("\x02\0\0\0\0\0\0\0{]", 10),
                                   std::string("\x02\0\0\0\0\0\0\0{}", 10), std::string(100, 'A')}) {
    CellUnderTest cell;
    cell.send_bytes(bytes);
    CHECK(cell.ends());
  }
}

TEST_CASE("a host of another version is not served") {
  CellUnderTest cell;
  cell.send(wire::HostHello{"0.0.0-other", 1000});
  CHECK(cell.ends());
}
