#include <fmt/format.h>

#include "config.h"
#include "config_options.h"

namespace bashcell {
namespace {

constexpr const char* kHead =
    R"(bashcell: one MCP tool, `bash`, that runs scripts in a hardened container and trims what comes back.

Usage:
  bashcell [serve] [OPTIONS]      speak MCP on stdin and stdout (this is what a client starts)
  bashcell run 'SCRIPT'           run one script, print the reply as a model reads it; '-' reads it from stdin
  bashcell doctor                 what works on this machine, and each limit as measured in a cell
  bashcell replay FILE            play a recorded conversation and compare
  bashcell shelf [list]           the saved scripts of the workspace; also: show NAME, rm NAME, export DIR
)";

constexpr const char* kTail = R"(
Every option NAME is also BASHCELL_NAME in the environment and a member NAME of the JSON configuration file (--config,
BASHCELL_CONFIG, or bashcell/config.json in $XDG_CONFIG_HOME or ~/.config), with _ for -. A flag wins over the
environment, the environment over the file.
)";

std::string line(const std::string& left, const std::string& right) {
  return fmt::format("  {:<24} {}\n", left, right);
}

std::string option_line(const Option& option) {
  if (option.only_in_file) return line("\"" + option.name + "\"", option.description + " (only in the file)");
  const std::string left = option.value_name.empty() ? option.flag() : option.flag() + " " + option.value_name;
  std::string right = option.description;
  if (option.kind == OptionKind::kChoice) right += fmt::format(" ({})", option.allowed);
  if (!option.fallback.is_null() && option.kind != OptionKind::kSwitch) {
    right +=
        fmt::format(" [{}]", option.fallback.is_string() ? option.fallback.get<std::string>() : option.fallback.dump());
  }
  return line(left, right);
}

}  // namespace

std::string help_text() {
  std::string text = kHead;
  std::string group;
  for (const Option& option : all_options()) {
    if (option.group != group) text += fmt::format("\n{}:\n", option.group);
    group = option.group;
    text += option_line(option);
  }
  text += line("--config FILE", "read options from this JSON file");
  text += line("--help, --version", "this text; the version");
  return text + kTail;
}

}  // namespace bashcell
