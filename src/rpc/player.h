#pragma once
// Plays a transcript against a program and says whether it behaved as written down. Used by `bashcell replay` and by
// the tests. Any line on stdout that the transcript does not expect is a failure, so a later expectation proves that
// nothing came in between. Blocking.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "rpc/match.h"
#include "rpc/played_program.h"
#include "rpc/transcript.h"

namespace bashcell::rpc {

struct PlayerOptions {
  std::vector<std::string> argv;         // argv[0] is a path; the transcript's setup adds to it
  std::vector<std::string> environment;  // "NAME=value"; the setup adds to it
  base::Duration patience{10'000};       // for each step
  double slowness = 1;                   // all times are multiplied by it
  bool accept = false;                   // what comes becomes what is expected
};

// From BASHCELL_TEST_SLOWNESS and BASHCELL_ACCEPT, with the environment of this process.
PlayerOptions player_options_from_environment();

struct PlayResult {
  bool passed = false;
  std::string failure = {};             // "line 7: ..." and the end of stderr; empty when passed
  std::vector<std::string> lines = {};  // in accept mode: the file as it should be
};

class Player {
 public:
  Player(const Transcript& transcript, PlayerOptions options);
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  ~Player();

  // Once. When the transcript does not end in expect_exit, the input is closed and exit code 0 expected.
  PlayResult play();

 private:
  using Outcome = base::Result<void>;

  Outcome start();
  Outcome play_step(const Step& step);
  Outcome send(const Send& step);
  Outcome expect(const Expect& step, size_t line_number);
  Outcome await_event(const AwaitEvent& step);
  Outcome expect_exit(const ExpectExit& step);
  Outcome no_line_left();
  void accept_line(const std::string& line, const Expect& step, size_t line_number);
  void accept_rest(size_t before_line);
  base::Instant deadline(base::Duration wait) const;

  const Transcript& transcript_;
  PlayerOptions options_;
  std::unique_ptr<PlayedProgram> program_;
  Bindings bindings_;
  std::vector<std::string> accepted_;
};

// The whole life of `replay FILE` and of a transcript test: plays the file and, in accept mode, rewrites it.
enum class FileOutcome { kPassed, kFailed, kAccepted };
struct FileResult {
  FileOutcome outcome = FileOutcome::kFailed;
  std::string message;  // for people, one or more lines
};
FileResult play_file(const std::string& path, const PlayerOptions& options);

}  // namespace bashcell::rpc
