#include "heal/repair_run.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using namespace bashcell::heal;

namespace {

sandbox::CallReport report(int64_t code, const std::string& output) {
  wire::Done done;
  done.code = code;
  done.output = output;
  return {.result = done};
}

}  // namespace

TEST_CASE("only a script that came to its own end, with all of its output, may be looked at for a repair") {
  const auto failed = failed_run("rg", report(127, "x"));
  REQUIRE(failed);
  CHECK(failed->script == "rg");
  CHECK(failed->code == 127);
  CHECK(failed->output == "x");
  CHECK_FALSE(failed_run("rg", report(0, "x")));
  CHECK_FALSE(failed_run("rg", {.result = sandbox::NotRun{"no"}}));
  CHECK_FALSE(failed_run("rg", {.result = sandbox::CellLost{}}));
  for (const auto change :
       {+[](wire::Done& done) { done.outcome = wire::Outcome::kTimedOut; },
        +[](wire::Done& done) { done.outcome = wire::Outcome::kSignaled; },
        +[](wire::Done& done) { done.outcome = wire::Outcome::kCancelled; },
        +[](wire::Done& done) { done.left_out_lines = 1; }, +[](wire::Done& done) { done.left_out_bytes = 1; },
        +[](wire::Done& done) { done.filter = "ls"; }, +[](wire::Done& done) { done.memory_limit_hit = true; },
        +[](wire::Done& done) { done.process_limit_hit = true; }}) {
    sandbox::CallReport changed = report(127, "x");
    change(std::get<wire::Done>(changed.result));
    CHECK_FALSE(failed_run("rg", changed));
  }
}

TEST_CASE("bash is given a script to read, not to run, whatever is in it") {
  CHECK(reading_script("ls -l\n") == "\"$BASH\" -n /dev/stdin <<'END'\nls -l\nEND\n");
  CHECK(reading_script("cat <<END\nx\nEND") == "\"$BASH\" -n /dev/stdin <<'END_END'\ncat <<END\nx\nEND\nEND_END\n");
  CHECK(reading_script("END\nEND_END\ntouch x") ==
        "\"$BASH\" -n /dev/stdin <<'END_END_END'\nEND\nEND_END\ntouch x\nEND_END_END\n");
  CHECK(reading_result(report(0, "")).first);
  CHECK(reading_result(report(2, "/dev/stdin: line 1: syntax error\n")) ==
        std::pair<bool, std::string>{false, "/dev/stdin: line 1: syntax error"});
  CHECK_FALSE(reading_result(report(0, "/dev/stdin: line 2: warning: here-document")).first);
  CHECK_FALSE(reading_result({.result = sandbox::NotRun{"no"}}).first);
}
