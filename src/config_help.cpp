#include <fmt/format.h>

#include "config.h"
#include "config_options.h"

namespace bashcell {
namespace {

constexpr const char* kHelp =
    R"(bashcell: one MCP tool, `bash`, that runs scripts in a hardened container.

  bashcell [serve]          speak MCP on stdin and stdout: what a client starts
  bashcell run 'SCRIPT'     run one script, print the reply; '-': from stdin
  bashcell doctor           what works on this machine; each limit as measured
  bashcell config CLIENT    how a client is told of bashcell; --write: do it
  bashcell options          every option: what it sets, its default
  bashcell shelf [list]     its saved scripts; also show, rm, export
  bashcell replay FILE      play a recorded conversation, compare
  bashcell completion SHELL what bash, zsh or fish complete with
  bashcell manual           the manual page: bashcell manual | man -l -

Often used (`bashcell options` lists all):
  --workspace DIR           what scripts see as /workspace, and may change
  --image NAME              an image for the cell, with Docker or Podman
  --network NAME            a network for the cell; default: none
  --memory MB, --cpus N     limits of the cell; default: 512 and 0.5
  --max-timeout SECONDS     the most that a call may ask for; default: 300
  --config FILE             read options from this JSON file
  --help, --version         this text; the version
)";

constexpr const char* kOptionsTail = R"(
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
    right += fmt::format(" [{}]", option.default_text());
  }
  return line(left, right);
}

}  // namespace

std::string help_text() { return kHelp; }

std::string options_text() {
  std::string text = "Options of bashcell, with their defaults:\n";
  std::string group;
  for (const Option& option : options_by_group()) {
    if (option.group != group) text += fmt::format("\n{}:\n", option.group);
    group = option.group;
    text += option_line(option);
  }
  text += line("--config FILE", "read options from this JSON file");
  text += line("--help, --version", "a short help; the version");
  return text + kOptionsTail;
}

}  // namespace bashcell
