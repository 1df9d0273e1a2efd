#include "commands/replay.h"

#include <filesystem>

#include "commands/standard_streams.h"
#include "rpc/player.h"

namespace bashcell::commands {

int replay(const Invocation& invocation, base::UniqueFd output) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return fail("cannot find this program: " + failure.message());
  rpc::PlayerOptions options = rpc::player_options_from_environment();
  options.argv = {self.string(), "serve"};
  options.argv.insert(options.argv.end(), invocation.flags.begin(), invocation.flags.end());

  const rpc::FileResult result = rpc::play_file(invocation.operand, options);
  static_cast<void>(base::write_all(output.get(), result.message + "\n"));
  return result.outcome == rpc::FileOutcome::kFailed ? 1 : 0;
}

}  // namespace bashcell::commands
