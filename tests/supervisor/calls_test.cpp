#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/file.h"
#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;
using testing::eventually;
using wire::Outcome;

TEST_CASE("every exit code arrives as it is") {
  CellUnderTest cell;
  for (int code = 0; code < 256; code += 5) {
    const wire::Done done = cell.run("exit " + std::to_string(code));
    REQUIRE(done.outcome == Outcome::kExited);
    REQUIRE(done.code == code);
  }
}

TEST_CASE("a bash that dies of a signal says which, and the next call works") {
  CellUnderTest cell;
  for (const int signal : {1, 2, 9, 15}) {
    const wire::Done done = cell.run("kill -" + std::to_string(signal) + " $$; sleep 1");
    CHECK(done.outcome == Outcome::kSignaled);
    CHECK(done.code == signal);
    CHECK(cell.output_of("echo alive") == "alive");
  }
}

TEST_CASE("stdout and stderr are one stream in the order written") {
  CellUnderTest cell;
  CHECK(cell.output_of("echo a; echo b >&2; echo c; echo d >&2") == "a\nb\nc\nd");
}

TEST_CASE("stdin is empty and no private descriptor but those of the save are left") {
  CellUnderTest cell;
  CHECK(cell.output_of("cat; read -r x; echo rc=$?") == "rc=1");
  // 3 is the folder being read, 255 the script (close-on-exec).
  CHECK(cell.output_of("for f in /proc/$$/fd/*; do echo ${f##*/}; done") == "0\n1\n2\n248\n252\n255\n3");
}

TEST_CASE("the stages of the last pipeline are told") {
  CellUnderTest cell;
  CHECK(cell.run("false | true | (exit 4)").stages == std::vector<int64_t>{1, 0, 4});
  CHECK(cell.run("false | true; exit 3").stages == std::vector<int64_t>{1, 0});
}

TEST_CASE("syntax errors are bash's own, and do not show the hidden first line") {
  CellUnderTest cell;
  for (const char* script : {"echo \"abc", "if true; then", ")", "f() {", "echo a; )", "case x in (", "echo $(("}) {
    const wire::Done done = cell.run(script);
    CHECK(done.outcome == Outcome::kExited);
    CHECK(done.code != 0);
    CHECK(done.output.find("script: line ") == 0);
    CHECK(done.output.find("builtin") == std::string::npos);
    CHECK(done.output.find("exec") == std::string::npos);
  }
  CHECK(cell.output_of("echo ok") == "ok");
}

TEST_CASE("lines are counted from the script's own first line, and $0 is its name") {
  CellUnderTest cell;
  CHECK(cell.output_of("echo $LINENO $0\necho $LINENO") == "1 script\n2");
}

TEST_CASE("a call returns when bash ends, not when the last copy of the pipe closes") {
  CellUnderTest cell;
  for (const char* script : {"sleep 1000 & echo x", "setsid sleep 1000 & echo x", "(sleep 1000 &) ; echo x",
                             "nohup sleep 1000 >/dev/null 2>&1 & echo x"}) {
    const wire::Done done = cell.run(script);
    CHECK(done.output == "x");
    CHECK(done.wall_ms < 10'000);
  }
  CHECK(cell.output_of("pgrep -cx sleep -g 0 || pgrep -c -f '^sleep 1000$'") != "0");
}

TEST_CASE("what a process substitution still writes is heard") {
  CellUnderTest cell;
  CHECK(cell.output_of("exec > >(cat); echo hi") == "hi");
  CHECK(cell.output_of("echo again") == "again");
}

TEST_CASE("a background job that floods does not drown the call it came from, nor hold it") {
  CellUnderTest cell;
  const wire::Done done = cell.run("echo up; yes noise &");
  CHECK(done.output.substr(0, 2) == "up");
  CHECK(done.wall_ms < 10'000);
  CHECK(cell.output_of("echo two") == "two");
}

TEST_CASE("calls run side by side, each with its own output and code") {
  CellUnderTest cell;
  for (int i = 1; i <= 6; ++i) {
    cell.start("for k in 1 2 3; do echo tok-" + std::to_string(i) + "; sleep 0.02; done; exit " + std::to_string(i));
  }
  for (int i = 0; i < 6; ++i) {
    const wire::Done done = cell.next_done();
    const std::string token = "tok-" + std::to_string(done.id);
    CHECK(done.output == token + "\n" + token + "\n" + token);
    CHECK(done.code == static_cast<int64_t>(done.id));
  }
}

TEST_CASE("a script of any size arrives whole") {
  CellUnderTest cell;
  CHECK(cell.output_of("wc -c <<'EOF'\n" + std::string(4'000'000, 'x') + "\nEOF") == "4000001");
}

TEST_CASE("output over the budget is trimmed, counted, and whole in the spill") {
  CellUnderTest cell;
  const wire::Done done = cell.run("seq 1 200000; exit 4");
  CHECK(done.code == 4);
  CHECK(done.output.substr(0, 4) == "1\n2\n");
  CHECK(done.output.substr(done.output.size() - 7) == "\n200000");
  CHECK(done.total_lines == 200000);
  CHECK(done.left_out_lines > 190000);
  REQUIRE_FALSE(done.spill.empty());
  CHECK(cell.output_of("tail -n 1 " + done.spill + "; wc -l < " + done.spill) == "200000\n200000");
}

TEST_CASE("a prewarmed bash that a script killed is replaced without a word") {
  CellUnderTest cell;
  for (int i = 0; i < 3; ++i) {
    // It is started after the reply, and is the only process whose working directory is the run folder.
    const std::string mark = cell.folder() + "/killed" + std::to_string(i);
    cell.run("until for p in /proc/[0-9]*; do [[ $(readlink $p/cwd) == " + cell.folder() +
             "/run ]] && kill -9 ${p##*/} && touch " + mark + " && break; done; [[ -e " + mark +
             " ]]; do :; done 2>/dev/null &");
    CHECK(testing::eventually([&] { return testing::exists(mark); }));
    const wire::Done next = cell.run("echo next");
    INFO(static_cast<int>(next.outcome) << " " << next.code << " " << next.problem);
    CHECK(next.output == "next");
  }
}

TEST_CASE("a call that wants it tells its last line while it runs, when that has changed, and only then") {
  CellUnderTest cell;
  cell.progress_ms = 20;
  const std::string go = cell.folder() + "/go";
  const uint64_t id =
      cell.start("echo one; printf '\\e[31mtwo\\e[0m'; until [[ -e " + go + " ]]; do sleep 0.01; done; echo");
  wire::CellMessage message = cell.next_message();
  while (std::get<wire::Progress>(message).last_line != "two") {
    CHECK(std::get<wire::Progress>(message).last_line == "one");
    message = cell.next_message();
  }
  CHECK(std::get<wire::Progress>(message).id == id);
  REQUIRE(base::write_file(go, ""));
  const wire::Done done = cell.next_done();  // nothing more in between
  CHECK(done.output == "one\ntwo");
  cell.progress_ms = 0;
  CHECK(cell.output_of("echo unasked; sleep 0.1; echo end") == "unasked\nend");
}

TEST_CASE("a call that is late is ended as at a deadline of its own") {
  CellUnderTest cell;
  const std::string long_time = "1000." + std::to_string(::getpid());  // nobody else's sleep
  const uint64_t id = cell.start("x=kept; echo so far; sleep " + long_time);
  CHECK(testing::eventually([&] { return testing::process_with(long_time); }));
  cell.send(wire::Cancel{.id = id, .late = true});
  const wire::Done done = cell.next_done();
  CHECK(done.outcome == wire::Outcome::kTimedOut);
  CHECK(done.output == "so far");
  CHECK(done.killed == 2);
}
