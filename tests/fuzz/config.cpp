// Any bytes as what a user sets: flags, environment and a configuration file. Options within their limits, or one line
// that says what is wrong.

#include "config.h"

#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/unique_fd.h"
#include "base/utf8.h"

namespace bashcell::fuzz {

namespace {

// Lines that begin with "$" are the environment, with "-" or ">" arguments (the latter without the sign); all else is
// the file.
struct Start {
  std::vector<std::string> arguments;
  std::vector<std::string> environment{"HOME=/home/fuzz"};
  std::string file;
};

Start start_of(std::string_view text) {
  Start start;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    // Only our own file is ever read.
    const bool names_file = line.find("--c") != std::string_view::npos || line.find("CONFIG") != std::string_view::npos;
    if (line.starts_with('$')) {
      if (!names_file) start.environment.emplace_back(line.substr(1));
    } else if (line.starts_with('-') || line.starts_with('>')) {
      if (!names_file) start.arguments.emplace_back(line.substr(line[0] == '>' ? 1 : 0));
    } else {
      start.file.append(line) += '\n';
    }
  }
  return start;
}

void check_limits(const Config& config) {
  REQUIRE((config.timeout > base::Duration::zero() && config.timeout <= config.max_timeout));
  REQUIRE(
      (config.memory_mb > 0 && config.pids > 0 && config.cpus > 0 && config.parallel >= 1 && config.parallel <= 16));
  REQUIRE((config.install_timeout > base::Duration::zero() && config.audit_max_bytes > 0));
  REQUIRE((config.session_limit >= base::Duration::zero() && config.idle_limit >= base::Duration::zero()));
  REQUIRE((config.budget.chars > 0 && config.budget.tokens > 0));
  for (const std::string* path : {&config.rootfs, &config.workspace, &config.record, &config.audit, &config.init}) {
    REQUIRE((path->empty() || (*path)[0] == '/'));
    REQUIRE(path->find('\0') == std::string::npos);
  }
  REQUIRE(config.workspace.empty() != config.workspace_volume.empty());
}

void check(const Input& input) {
  Start start = start_of(input.text);
  const base::UniqueFd file(::memfd_create("config", MFD_CLOEXEC));
  REQUIRE(::write(file.get(), start.file.data(), start.file.size()) == static_cast<ssize_t>(start.file.size()));
  if (!start.file.empty()) {
    start.environment.push_back("BASHCELL_CONFIG=/proc/self/fd/" + std::to_string(file.get()));
  }
  const base::Result<Invocation> invocation = parse_invocation(start.arguments, start.environment);
  if (!invocation) {
    const std::string& message = invocation.error().message;
    REQUIRE((!message.empty() && message.find('\n') == std::string::npos));
    return;
  }
  if (invocation->command != Command::kHelp && invocation->command != Command::kVersion) {
    check_limits(invocation->config);
  }
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
