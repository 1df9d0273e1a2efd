#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"
#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;
using wire::Answer;
using wire::Ask;
using wire::Done;
using wire::Outcome;

namespace {

// As an install does: a program in the folder that every cell sees.
void provide(const CellUnderTest& cell, const std::string& name, const std::string& script) {
  const std::string folder = cell.folder() + "/run/tools/bin";
  std::filesystem::create_directories(folder);
  REQUIRE(base::write_file(folder + "/" + name, "#!/bin/sh\n" + script + "\n", 0755));
}

// Takes the next question, which must be for that command, and answers it.
void answer(CellUnderTest& cell, const std::string& name, bool good) {
  const Ask ask = cell.next_ask();
  CHECK(ask.verb == "heal");
  REQUIRE(ask.arguments.size() == 1);
  CHECK(ask.arguments[0] == name);
  if (good) provide(cell, name, R"(echo "${0##*/} with $#"; cat; exit 7)");
  cell.send(Answer{.id = ask.id, .good = good, .text = "x"});
}

}  // namespace

TEST_CASE("a missing command is asked for, and then takes its place with arguments and stdin") {
  CellUnderTest cell;
  const uint64_t id = cell.start("echo in | lacking 'a b' -c; echo $?; echo ${PIPESTATUS[0]}");
  const Ask ask = cell.next_ask();
  CHECK(ask.call == id);
  CHECK(ask.arguments == std::vector<std::string>{"lacking"});
  provide(cell, "lacking", R"(echo "$# $1 $2"; cat; exit 7)");
  cell.send(Answer{.id = ask.id, .good = true, .text = {}});
  const Done done = cell.next_done();
  CHECK(done.output == "2 a b -c\nin\n7\n0");
  CHECK(cell.run("lacking; command -v lacking || echo not on PATH").output ==
        "0  \nnot on PATH");  // without a question
}

TEST_CASE("what cannot be had fails as bash lets it fail") {
  CellUnderTest cell;
  cell.start("echo one\nlacking; echo $?\n(lacking) 2>&1 | cat\nx=$(lacking 2>/dev/null); echo \"[$x] $?\"");
  for (int i = 0; i < 3; ++i) answer(cell, "lacking", false);
  CHECK(cell.next_done().output ==
        "one\nscript: line 2: lacking: command not found\n127\nscript: line 3: lacking: command not found\n[] 127");
  CHECK(cell.run("/no/such/tool; echo $?").output == "script: line 1: /no/such/tool: No such file or directory\n127");
}

TEST_CASE("commands are asked for wherever bash looks for them") {
  CellUnderTest cell;
  for (const char* script :
       {"(lacking)", "echo $(lacking)", "true | lacking", "lacking & wait", "bash -c lacking", "f() { lacking; }; f",
        "for i in 1; do lacking; done", "c=lacking; $c", "eval lacking", "exec 3>&1; lacking >&3"}) {
    INFO(script);
    std::filesystem::remove(cell.folder() + "/run/tools/bin/lacking");
    cell.start(std::string(script) + " </dev/null");
    answer(cell, "lacking", true);
    CHECK(cell.next_done().output == "lacking with 0");
  }
}

TEST_CASE("a handler of the script's own wins, and ours is no part of the state") {
  CellUnderTest cell;
  CHECK(cell.run("command_not_found_handle() { echo \"mine $1\"; }; lacking").output == "mine lacking");
  CHECK(cell.run("lacking").output == "mine lacking");
  cell.run("unset -f command_not_found_handle");
  cell.start("lacking");
  answer(cell, "lacking", false);
  CHECK(cell.next_done().code == 127);
  const Done renewed = cell.run("declare -F; unset -f command_not_found_handle; declare -F");
  CHECK(renewed.output == "declare -fx command_not_found_handle\ndeclare -f trap\ndeclare -f trap");
  CHECK(cell.run("declare -F").output == "declare -fx command_not_found_handle\ndeclare -f trap");
}

TEST_CASE("a call's time stands still while the host works for it, and goes on afterwards") {
  CellUnderTest cell;
  cell.start("lacking; echo after; sleep 1000", base::Duration(1500));
  const Ask ask = cell.next_ask();
  // Another call takes longer than that one has.
  CHECK(cell.run("sleep 2; echo other").output == "other");
  cell.send(Answer{.id = ask.id, .good = false, .text = {}});
  const Done done = cell.next_done();
  CHECK(done.outcome == Outcome::kTimedOut);
  CHECK(done.output == "script: line 1: lacking: command not found\nafter");
}

TEST_CASE("who no longer waits is forgotten, and late or unknown answers are harmless") {
  CellUnderTest cell;
  cell.start("timeout -s KILL 0.1 bash -c lacking; echo $?");
  const Ask ask = cell.next_ask();
  CHECK(cell.next_done().output.find("137") != std::string::npos);
  cell.send(Answer{.id = ask.id, .good = true, .text = {}});
  cell.send(Answer{.id = 4711, .good = true, .text = {}});
  const uint64_t id = cell.start("lacking");
  cell.next_ask();
  cell.cancel(id);
  CHECK(cell.next_done().outcome == Outcome::kCancelled);
  CHECK(cell.output_of("echo alive") == "alive");
}

TEST_CASE("rude questions cost only themselves") {
  CellUnderTest cell;
  const std::string helper = cell.folder() + "/run/bin/cell";
  CHECK(cell.run(helper + " heal; " + helper + " heal -x; echo $?").output ==
        "usage: cell heal NAME\nusage: cell heal NAME\n2");
  CHECK(cell.run(helper + " heal $(printf 'x%.0s' {1..5000}); echo $?").output ==
        "cell: that is too long a question\n1");
  CHECK(cell.run("$'a\\xffb'; echo $?").output ==
        "script: line 1: a\xEF\xBF\xBD"
        "b: command not found\n127");
  // More at once than are heard: those that are turned away end by themselves.
  cell.start("for i in {1..30}; do " + helper + " heal x$i 2>/dev/null & done; wait; echo end");
  for (size_t i = 0; i < wire::kMostOpenAsks; ++i) {
    cell.send(Answer{.id = cell.next_ask().id, .good = false, .text = {}});
  }
  for (;;) {
    // Answering made room for some of the others.
    wire::CellMessage message = cell.next_message();
    if (const auto* ask = std::get_if<Ask>(&message)) {
      cell.send(Answer{.id = ask->id, .good = false, .text = {}});
    } else {
      CHECK(std::get<Done>(message).output == "end");
      break;
    }
  }
}
