#include <unistd.h>

#include <catch2/catch.hpp>

#include "cell_under_test.h"

using namespace bashcell;
using testing::CellUnderTest;

TEST_CASE("cwd, variables, functions, aliases, shopt and umask carry over") {
  CellUnderTest cell;
  cell.run(
      "cd /tmp; A=1; export B=2; f(){ echo F$1; }; alias ll='echo AL'; umask 027; shopt -s extglob; arr=(1 '2 3')");
  CHECK(cell.output_of("pwd; echo $A$B; f 9; ll; umask; case ab in @(ab|c)) echo G;; esac; echo \"${arr[1]}\"; cd -") ==
        "/tmp\n12\nF9\nAL\n0027\nG\n2 3\n" + cell.folder() + "/workspace");
}

TEST_CASE("set -o options, exec redirections, traps and job numbers do not") {
  CellUnderTest cell;
  cell.run("set -euxo pipefail -o noglob; trap 'echo trapped' EXIT TERM; exec 7>&1; exec >/dev/null; sleep 100 &");
  CHECK(cell.output_of("echo $-; false; echo \"$UNSET\" on; trap; jobs; echo \"<$!>\"; ls /proc/$$/fd | grep -cx 7") ==
        "hB\n on\n<>\n0");
}

TEST_CASE("exit, exec, errors and deadly signals keep the cell and the state before them") {
  CellUnderTest cell;
  cell.run("K=kept; cd /tmp");
  for (const char* script :
       {"exit 3", "exec true", "exec /nonexistent", "kill -9 $$", "set -e; false", "${x?gone}", "f(){ f; }; f",
        "exec 252>&-", "set -n", "readonly __cp=1", "enable -n declare", "echo junk >&252"}) {
    INFO(script);
    cell.run(script);
    CHECK(cell.output_of("echo $K; pwd") == "kept\n/tmp");
  }
}

TEST_CASE("a timed-out script keeps what it had set") {
  CellUnderTest cell;
  CHECK(cell.run("L=late; cd /; sleep 1000", base::Duration(500)).outcome == wire::Outcome::kTimedOut);
  CHECK(cell.output_of("echo $L; pwd") == "late\n/");
}

TEST_CASE("functions named like builtins do not break the save or the restore") {
  CellUnderTest cell;
  for (const char* name : {"builtin", "exec", "unset", "declare", "printf", "eval", "set", "cd", "echo", "trap",
                           "shopt", "read", "source"}) {
    INFO(name);
    cell.run(std::string("N_") + name + "=1; " + name + "(){ :; }");
    CHECK(cell.run(std::string("[[ $N_") + name + " == 1 ]]").code == 0);
    cell.run(std::string("\\unset -f ") + name + "; POSIXLY_CORRECT=1; unset -f " + name + "; unset POSIXLY_CORRECT");
  }
  CHECK(cell.output_of("echo $N_builtin$N_source") == "11");
}

TEST_CASE("values of any bytes survive many rounds") {
  CellUnderTest cell;
  cell.run(
      "v=$'a\\'b\"c\\\\d\\n\\t\\x01\\xff\\xc3\\xa9$(x)`y`'; declare -A m=([$'k\\n]\"']=$'w\\n'); export -n v; w=$v");
  for (int round = 0; round < 4; ++round) {
    CHECK(cell.output_of(
              "[[ $v == \"$w\" && ${#v} -gt 10 && ${m[$'k\\n]\"']} == $'w\\n' ]] && echo same; R=$((R+1)); eval \"f$R()"
              "{ cat <<E\n}\nf9 () \n{ \nE\n}\"") == "same");
  }
  CHECK(cell.output_of("echo $R; f1 | wc -l; declare -F | grep -c ' f[0-9]'") == "4\n3\n4");
}

TEST_CASE("what was unset stays unset, also what bash sets by itself") {
  CellUnderTest cell;
  cell.run("unset LANG PATH; export X=1; export -n HOME");
  CHECK(cell.output_of("echo \"${LANG-none} ${PATH-none} $X\"; /usr/bin/env | /usr/bin/grep -c ^HOME=") ==
        "none none 1\n0");
}

TEST_CASE("calls side by side change only what they changed") {
  CellUnderTest cell;
  cell.run("A=0 B=0");
  cell.start("sleep 0.3; A=slow");
  cell.start("B=fast; cd /tmp");
  cell.next_done();
  cell.next_done();
  CHECK(cell.output_of("echo $A $B; pwd") == "slow fast\n/tmp");
}

TEST_CASE("a state over the cap is dropped and told, and the old one stays") {
  CellUnderTest cell;
  cell.run("SMALL=1");
  const wire::Done done = cell.run("BIG=$(head -c 400000 /dev/zero | tr '\\0' x)");
  CHECK(done.state_dropped);
  CHECK(cell.output_of("echo $SMALL ${#BIG}") == "1 0");
  CHECK(cell.run("OTHER=$(head -c 9000000 /dev/zero | tr '\\0' x)").state_dropped);
  CHECK_FALSE(cell.run("echo ok").state_dropped);
}

TEST_CASE("a state of which a line got lost while it was written is dropped and told, and the old one stays") {
  CellUnderTest cell;
  cell.run("KEPT=1; f() { echo whole; }");
  // As without memory, a write fails instead of waiting; what comes after it, the end mark too, fits again.
  const std::string fails_to_write =
      "python3 -c 'import fcntl, os; fcntl.fcntl(252, fcntl.F_SETFL, os.O_NONBLOCK)'; "
      "python3 -c 'import fcntl; fcntl.fcntl(252, 1031, 4096)'; ";
  const wire::Done done = cell.run(fails_to_write + "A_BIG=$(head -c 30000 /dev/zero | tr '\\0' x); NEW=1; exit 3");
  CHECK(done.code == 3);
  CHECK(done.state_dropped);
  CHECK(cell.output_of("echo $KEPT ${#A_BIG} ${NEW-none} ${PATH:+path}; f") == "1 0 none path\nwhole");
  CHECK(cell.run("trap '' XFSZ; ulimit -f 1; " + fails_to_write + "A_BIG=$(head -c 30000 /dev/zero | tr '\\0' x)")
            .state_dropped);
  CHECK_FALSE(cell.run("N=2").state_dropped);
  CHECK(cell.output_of("echo $KEPT $N") == "1 2");
}

TEST_CASE("a call that is cancelled while its shell is restored changes nothing") {
  CellUnderTest cell;
  cell.run("KEPT=1; exec() { builtin exec \"$@\"; }; for ((i = 0; i < 2000; i++)); do declare \"V$i=$i\"; done");
  for (int round = 0; round < 40; ++round) {
    // Two that start cold, so that the signal meets them at any step of the way.
    const uint64_t first = cell.start("A=1");
    const uint64_t second = cell.start("B=1");
    if (round % 2 == 1) ::usleep(static_cast<useconds_t>(round) * 500);
    cell.cancel(first);
    cell.cancel(second);
    cell.next_done();
    cell.next_done();
    REQUIRE(cell.output_of("echo $KEPT ${PATH:+path} ${V1999}; declare -F exec") == "1 path 1999\nexec");
  }
}

TEST_CASE("traps of the script are no part of the save") {
  CellUnderTest cell;
  const wire::Done done = cell.run("trap 'echo debug; echo debug >&2' DEBUG; trap 'echo error >&2' ERR; T=1; false");
  CHECK_FALSE(done.state_dropped);
  CHECK(cell.run("trap 'echo size >&2' XFSZ; U=1").state_dropped == false);
  CHECK(cell.output_of("echo $T$U") == "11");
}

namespace {

// What a script can write in place of its shell: a whole save with `variable` in it.
std::string forged_state(const std::string& variable) {
  return "{ printf '#cell1\\0%s\\0%s\\0%s\\0%s\\0' '0 0' \"$BASHOPTS\" \"$PWD\" ''; declare -p; echo '" + variable +
         "'; printf '\\0%s\\0\\0\\0\\0\\0#end\\0' 0022; } >&252; kill -9 $$";
}

}  // namespace

TEST_CASE("a state that cannot be restored is given up and told, and the next call is as in a new cell") {
  CellUnderTest cell;
  cell.run("A=1; cd /tmp");
  cell.run(forged_state("declare -- Z=("));
  const wire::Done done = cell.run("echo ${A-none} ${PATH:+path}; pwd; B=2");
  CHECK(done.state_reset);
  CHECK(done.code == 0);
  CHECK(done.output == "none path\n" + cell.folder() + "/workspace");
  CHECK_FALSE(cell.run("[[ $B == 2 ]]").state_reset);
  CHECK(cell.output_of("echo $B") == "2");
}

TEST_CASE("a state that kills its shell refuses one call and is given up in the next") {
  CellUnderTest cell;
  cell.run(forged_state("declare -- Z=$(kill -9 $$)"));
  const wire::Done refused = cell.run("echo ran");
  CHECK(refused.outcome == wire::Outcome::kNotStarted);
  CHECK(refused.problem.find("killed by signal 9 before it came to the script") != std::string::npos);
  const wire::Done done = cell.run("echo ran");
  CHECK(done.state_reset);
  CHECK(done.output == "ran");
  CHECK_FALSE(cell.run("true").state_reset);
}

TEST_CASE("a cwd that is gone is told, and the workspace takes its place") {
  CellUnderTest cell;
  cell.run("mkdir -p /tmp/bashcell-gone && cd /tmp/bashcell-gone");
  cell.run("rmdir /tmp/bashcell-gone");
  const std::string output = cell.output_of("pwd");
  CHECK(output.find("cannot return to /tmp/bashcell-gone") != std::string::npos);
  CHECK(output.substr(output.rfind('\n') + 1) == cell.folder() + "/workspace");
}

TEST_CASE("the script's own EXIT trap runs with the right status, after the state was saved") {
  CellUnderTest cell;
  const wire::Done done = cell.run("trap 'echo bye $?' EXIT; T=1; exit 5");
  CHECK(done.output == "bye 5");
  CHECK(done.code == 5);
  CHECK(cell.output_of("echo $T") == "1");
}

TEST_CASE("cell reset starts clean, and neither this call nor one that runs brings anything back") {
  CellUnderTest cell;
  const std::string reset = cell.folder() + "/run/bin/cell reset";
  cell.run("cd /tmp; A=1; export B=2; f() { :; }; alias ll=true; umask 077; shopt -s extglob; HOME=/; unset LANG");
  cell.start("until [[ -e " + cell.folder() + "/reset ]]; do sleep 0.01; done; A=old$A; C=3; cd /");
  cell.start("A=mine; cd /usr; " + reset + " && touch " + cell.folder() + "/reset; echo here $A $B; D=4");
  // In the order in which they end.
  std::string output = cell.next_done().output + "\n" + cell.next_done().output;
  CHECK(output.find("The next call starts with a clean shell, in /workspace: ") != std::string::npos);
  CHECK(output.find("here mine 2") != std::string::npos);
  CHECK(cell.output_of("echo ${A-a}${B-b}${C-c}${D-d}; pwd; umask; type f ll 2>&1 | grep -c 'not found'; "
                       "shopt -q extglob || echo off; [[ $HOME == / ]] || echo home; echo ${LANG:+lang}") ==
        "abcd\n" + cell.folder() + "/workspace\n0022\n2\noff\nhome\nlang");
  cell.run("A=new");
  CHECK(cell.output_of("echo $A") == "new");
}

TEST_CASE("cell reset leaves background jobs and files alone, and takes no argument") {
  CellUnderTest cell;
  const std::string reset = cell.folder() + "/run/bin/cell reset";
  const std::string long_time = "4711." + std::to_string(::getpid());  // nobody else's sleep
  cell.run("sleep " + long_time + " & touch file; (" + reset + " | cat)");
  CHECK(testing::process_with(long_time));
  CHECK(cell.output_of("ls file") == "file");
  CHECK(cell.run("x=1; " + reset + " now 2>/dev/null").code == 2);
  CHECK(cell.output_of("echo $x") == "1");
}

TEST_CASE("what a script writes into the descriptors of the save costs it its state, and nothing else") {
  CellUnderTest cell;
  cell.run("K=1");
  const wire::Done done =
      cell.run("for n in 248 252; do cat <&$n; echo junk >&$n; done 2>&-; trap 'ulimit -f' EXIT; (exit 5)");
  CHECK(done.code == 5);
  CHECK(done.output == "unlimited");
  CHECK(done.state_dropped);
  CHECK(cell.output_of("echo $K") == "1");
}
