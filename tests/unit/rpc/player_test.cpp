#include "rpc/player.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/file.h"

using namespace bashcell;
using namespace bashcell::rpc;

namespace {

// Plays against a shell script: a program that is easy to make wrong.
PlayResult play(const std::string& script, const std::string& transcript, bool accept = false) {
  ::signal(SIGPIPE, SIG_IGN);
  const base::Result<Transcript> read = parse_transcript(transcript);
  REQUIRE(read.ok());
  PlayerOptions options;
  options.argv = {"/bin/sh", "-c", script, "sh"};
  options.environment = {"PATH=/usr/bin:/bin"};
  options.accept = accept;
  return Player(*read, options).play();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kPing = "{\"send\": {\"id\":1}}\n";

}  // namespace

TEST_CASE("a program that behaves passes") {
  const PlayResult result =
      play("while read -r line; do echo \"[$line]\"; done; echo bye >&2; exit 3",
           kPing +
               "{\"expect\": [{\"id\":1}]}\n{\"send_raw\": \"2\\n\"}\n{\"expect\": [2], \"within_ms\": 9000}\n"
               "{\"close_input\": true}\n{\"expect_exit\": 3, \"stderr_matches\": \"^b.e$\"}\n");
  CHECK(result.failure == "");
  CHECK(result.passed);
}

TEST_CASE("without expect_exit the input is closed and exit 0 is due") {
  CHECK(play("cat >/dev/null", kPing).passed);
  CHECK(
      has(play("cat >/dev/null; exit 1", kPing).failure, "after the last line: expected exit code 0, got exit code 1"));
}

TEST_CASE("the first difference is named with its line, and stderr is shown") {
  const PlayResult result = play("echo oops >&2; read -r x; echo '{\"id\":2}'; cat >/dev/null",
                                 "{\"note\": \"n\"}\n" + kPing + "{\"expect\": {\"id\":1}}\n");
  CHECK_FALSE(result.passed);
  CHECK(has(result.failure, "line 3: id: expected 1, got 2"));
  CHECK(has(result.failure, "oops"));
}

TEST_CASE("a line that is not expected fails") {
  CHECK(has(play("echo '{}'; cat >/dev/null", kPing).failure, "not expected: {}"));
  CHECK(has(play("cat >/dev/null; printf tail", kPing).failure, "not expected: tail"));
}

TEST_CASE("a line that is not JSON fails") {
  CHECK(has(play("echo hello; cat", kPing + "{\"expect\": {\"id\":1}}\n").failure, "stdout is not pure: hello"));
}

TEST_CASE("what does not come in time fails, and the program is not left behind") {
  const PlayResult silent = play("read -r x; read -r y", kPing + "{\"expect\": {}, \"within_ms\": 50}\n");
  CHECK(has(silent.failure, "line 2: no line came in time"));
  CHECK(has(play("exit 0", "{\"expect\": {}}\n").failure, "stdout ended"));
}

TEST_CASE("the exit code, a signal and stderr are checked") {
  CHECK(has(play("kill -9 $$", "{\"expect_exit\": 0}\n").failure, "got signal 9"));
  CHECK(has(play("echo a >&2", "{\"expect_exit\": 0, \"stderr_matches\": \"b\"}\n").failure,
            "no line of stderr matches b"));
}

TEST_CASE("setup reaches the program, and events come from it") {
  CHECK(
      play("echo \"[\\\"$1\\\",\\\"$A\\\"]\"; echo other >&3; echo \"ready\" >&\"$BASHCELL_EVENT_FD\"; cat >/dev/null",
           "{\"setup\": {\"args\": [\"x\"], \"env\": {\"A\": \"b\"}}}\n{\"await_event\": \"ready\"}\n{\"expect\": "
           "[\"x\",\"b\"]}\n")
          .passed);
}

TEST_CASE("a program that floods both streams and one that does not read cannot lock the player up") {
  CHECK(play("head -c 3000000 /dev/zero | tr '\\0' e >&2; printf '[\"'; head -c 3000000 /dev/zero | tr '\\0' x; echo "
             "'\"]'; cat >/dev/null",
             "{\"expect\": [{\"$any\": \"string\"}]}\n")
            .passed);
  const std::string big = "{\"send\": [\"" + std::string(1'000'000, 'x') + "\"]}\n";
  CHECK(has(play("exec sleep 100 <&-", big).failure, "does not read its input"));
}

TEST_CASE("accept mode takes what comes, keeps what fits, and still fails on the exit code") {
  const std::string script = "echo '[1]'; echo '[2]'; echo '[3]'; cat >/dev/null";
  const std::string transcript =
      "{\"expect\": [{\"$any\":\"number\"}]}\n{\"expect\": [0], \"within_ms\": 9000}\n{\"close_input\": "
      "true}\n{\"expect_exit\": 0}\n";
  const PlayResult result = play(script, transcript, true);
  CHECK(result.passed);
  CHECK(result.lines == std::vector<std::string>{"{\"expect\": [{\"$any\":\"number\"}]}",
                                                 "{\"expect\": [2], \"within_ms\": 9000}", "{\"close_input\": true}",
                                                 "{\"expect\": [3]}", "{\"expect_exit\": 0}"});
  CHECK_FALSE(play("exit 9", "{\"expect_exit\": 0}\n", true).passed);
}

TEST_CASE("accepting rewrites the file and is not passing") {
  ::signal(SIGPIPE, SIG_IGN);
  const std::string path = "/tmp/bashcell_player." + std::to_string(::getpid()) + ".jsonl";
  REQUIRE(base::write_file(path, "{\"expect\": [1]}\n").ok());
  PlayerOptions options;
  options.argv = {"/bin/sh", "-c", "echo '[2]'; cat >/dev/null"};
  CHECK(play_file(path, options).outcome == FileOutcome::kFailed);
  options.accept = true;
  CHECK(play_file(path, options).outcome == FileOutcome::kAccepted);
  CHECK(base::read_file(path).value() == "{\"expect\": [2]}\n");
  options.accept = false;
  CHECK(play_file(path, options).outcome == FileOutcome::kPassed);
  ::unlink(path.c_str());
  CHECK(play_file(path, options).outcome == FileOutcome::kFailed);
}
