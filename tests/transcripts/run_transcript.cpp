// Plays transcripts against a server: run_transcript --server "PROGRAM ARGUMENTS" FILE...
// Exit code 0 when all passed, 1 when one failed, 77 (skipped, for CTest) when they were rewritten by
// BASHCELL_ACCEPT=1.

#include <signal.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/unique_fd.h"
#include "rpc/player.h"

namespace {

using namespace bashcell;

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kSkipped = 77;

void say(const std::string& text) { static_cast<void>(base::write_all(1, text + "\n")); }

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  rpc::PlayerOptions options = rpc::player_options_from_environment();
  if (arguments.size() >= 3 && arguments[0] == "--server") options.argv = words(arguments[1]);
  if (options.argv.empty()) {
    say("usage: run_transcript --server \"PROGRAM ARGUMENTS\" FILE...");
    return kUsage;
  }
  const std::optional<std::string> program = base::find_program(options.argv[0]);
  if (!program) {
    say("no such program: " + options.argv[0]);
    return kUsage;
  }
  options.argv[0] = *program;
  bool failed = false;
  for (auto file = arguments.begin() + 2; file != arguments.end(); ++file) {
    const rpc::FileResult result = rpc::play_file(*file, options);
    say(result.message);
    failed = failed || result.outcome == rpc::FileOutcome::kFailed;
  }
  if (failed) return kFailed;
  return options.accept ? kSkipped : 0;
}
