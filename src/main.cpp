// Reads what is asked for and hands it to the command that does it. The life of a call: docs/walkthrough.md.

#include <malloc.h>
#include <stdlib.h>

#include <string>

#include "commands/completion.h"
#include "commands/configure.h"
#include "commands/doctor.h"
#include "commands/manual.h"
#include "commands/replay.h"
#include "commands/run.h"
#include "commands/serve.h"
#include "commands/shelf.h"
#include "commands/standard_streams.h"
#include "config.h"
#include "wire/version.h"

namespace {

constexpr int kBadUsage = 2;

int print(const bashcell::base::UniqueFd& output, const std::string& text) {
  return bashcell::base::write_all(output.get(), text) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  using bashcell::Command;
  bashcell::base::UniqueFd output = bashcell::commands::claim_standard_output();
  // Fixed thresholds: else glibc raises them after one large request, and keeps its memory for good.
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 256 * 1024);
  ::mallopt(M_ARENA_MAX, 1);  // the few other threads start a cell or remove one: no memory of their own is worth it
  // libcurl may bring GnuTLS along, which is never used and would set itself up with a megabyte when it is loaded.
  ::setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0);

  const auto invocation = bashcell::parse_invocation({argv + 1, argv + argc}, bashcell::process_environment());
  if (!invocation) return bashcell::commands::fail(invocation.error().message, kBadUsage);
  switch (invocation->command) {
    case Command::kServe:
      return bashcell::commands::serve(invocation->config, std::move(output));
    case Command::kRun:
      return bashcell::commands::run(*invocation, std::move(output));
    case Command::kDoctor:
      return bashcell::commands::doctor(*invocation, std::move(output));
    case Command::kConfig:
      return bashcell::commands::configure(*invocation, std::move(output));
    case Command::kReplay:
      return bashcell::commands::replay(*invocation, std::move(output));
    case Command::kShelf:
      return bashcell::commands::shelf(*invocation, std::move(output));
    case Command::kOptions:
      return print(output, bashcell::options_text());
    case Command::kCompletion:
      return print(output, bashcell::commands::completion(invocation->operand));
    case Command::kManual:
      return print(output, bashcell::commands::manual());
    case Command::kHelp:
      return print(output, bashcell::help_text());
    case Command::kVersion:
      return print(output, "bashcell " + std::string(bashcell::wire::kVersion) + "\n");
  }
  return kBadUsage;
}
