#include <unistd.h>

#include <catch2/catch.hpp>

#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;
using testing::eventually;

namespace {

// The pid of the process of the cell that is called as PID 1 is, and has neither a child nor arguments: the fork
// server.
const char* const kFind =
    "for p in $(pgrep -P $(ps -o ppid= -p $PPID)); do "
    "[[ $(tr '\\0' ' ' </proc/$p/cmdline) == 'bashcell-init '* && $(ps -o sid= -p $p) -eq $p ]] && echo $p; done; :";

std::string server_of(CellUnderTest& cell) {
  std::string found;
  CHECK(eventually([&] { return !(found = cell.output_of(kFind)).empty(); }));
  return found;
}

// Whether the bash of the next call is the server's: it has the server's session below its runner.
bool forks(CellUnderTest& cell, const std::string& server) {
  return cell.output_of("ps -o sid= -p $PPID | tr -d ' '") == server;
}

// What a script can see of how its bash was started.
const char* const kFacts =
    "echo \"$0 $# $- $SHLVL ${HOME-} ${SHELL-none} $BASH_SUBSHELL\"; [[ $$ == $BASHPID ]] && echo pid; "
    "cat /proc/$$/comm; tr '\\0' ' ' </proc/$$/cmdline; echo; tr '\\0' ' ' </proc/$$/environ | sed 's/ *$//'; "
    "grep -E '^(Sig[BIC]|ShdPnd|Threads|NoNewPrivs|Cap)' /proc/$$/status; env | sort | grep -v ^_=; ulimit -a; umask; "
    "trap; "
    "for f in /proc/$$/fd/*; do [[ -e $f ]] && echo \"${f##*/} $(stat -c %A $f)\"; done; ps -o sid= -p $$ | grep -qw "
    "$$ && echo "
    "session; locale 2>&1; stat -c %U /proc/$$/fd; pwd";

}  // namespace

TEST_CASE("a bash of the fork server is as one that was executed") {
  CellUnderTest cell;
  const std::string executed = cell.output_of(kFacts);
  REQUIRE(executed.find("\npid\nbash\n/bin/bash --norc --noprofile script \n") != std::string::npos);
  const std::string server = server_of(cell);
  REQUIRE(eventually([&] { return forks(cell, server); }));
  CHECK(cell.output_of(kFacts) == executed);
  CHECK(cell.run("kill -TERM $$").code == 15);
  CHECK(cell.run("kill -SEGV $$").code == 11);
  CHECK(cell.output_of("a=1; (exit 3); echo $?; bash -c 'echo $PPID' | grep -cx $$; echo $a") == "3\n1\n1");
  CHECK(cell.output_of("trap 'echo bye' EXIT; sleep 0.01 & wait $!; echo $?") == "0\nbye");
  CHECK(forks(cell, server));
}

TEST_CASE("a fork server that is killed costs no call, and comes back") {
  CellUnderTest cell;
  std::string before;
  for (int round = 0; round < 3; ++round) {
    const std::string server = server_of(cell);
    CHECK(server != std::exchange(before, server));
    CHECK(cell.output_of("kill -9 " + server + "; echo killed") == "killed");
    CHECK(cell.output_of("echo next") == "next");
  }
}

TEST_CASE("one that is stopped is given up, and every call is answered once") {
  CellUnderTest cell;
  const std::string server = server_of(cell);
  CHECK(cell.output_of("kill -STOP " + server + "; echo stopped") == "stopped");
  cell.start("echo one >> file");
  cell.start("echo two >> file");
  cell.next_done();
  cell.next_done();
  CHECK(cell.output_of("sort file") == "one\ntwo");
  CHECK(server_of(cell) != server);
}

TEST_CASE("signals that ask politely do not reach it") {
  CellUnderTest cell;
  const std::string server = server_of(cell);
  cell.run("for s in TERM INT HUP QUIT PIPE USR1 USR2 ALRM TSTP; do kill -$s " + server + "; done");
  CHECK(eventually([&] { return forks(cell, server); }));
}

TEST_CASE("a cell in which it is always killed does without") {
  CellUnderTest cell;
  for (int i = 0; i < 8; ++i)
    CHECK(cell.output_of("for p in $(" + std::string(kFind) + "); do kill -9 $p; done; echo " + std::to_string(i)) ==
          std::to_string(i));
  CHECK(eventually([&] {
    const std::string server = cell.output_of(kFind);
    return cell.output_of("kill -9 " + server + " 2>&-; echo hi") == "hi" && server.empty();
  }));
  CHECK(cell.output_of("A=1; echo still here") == "still here");
  CHECK(cell.output_of("echo $A") == "1");
}
