#include "commands/completion.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/clients.h"
#include "config_commands.h"
#include "config_options.h"

namespace bashcell::commands {
namespace {

constexpr std::string_view kShelfVerbs = "list show rm export";
constexpr std::string_view kShells = "bash zsh fish";
constexpr std::string_view kConfigSwitches = "--write --windows";

std::string client_names() {
  std::vector<std::string_view> names;
  for (const Client& client : all_clients()) names.push_back(client.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string commands_text() { return fmt::format("{}", fmt::join(command_names(), " ")); }

std::vector<Option> flags() {
  std::vector<Option> options;
  for (Option& option : all_options()) {
    if (!option.only_in_file) options.push_back(std::move(option));
  }
  Option file{
      .name = "config", .kind = OptionKind::kText, .is_path = true, .description = "read options from this file"};
  file.value_name = "FILE";
  options.push_back(file);
  options.push_back({.name = "help", .kind = OptionKind::kSwitch, .description = "a short help"});
  options.push_back({.name = "version", .kind = OptionKind::kSwitch, .description = "the version"});
  return options;
}

bool takes_folder(const Option& option) { return option.is_path && option.value_name == "DIR"; }

// Each character of `special` gets a backslash.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char byte : text) {
    if (special.find(byte) != std::string_view::npos) out += '\\';
    out += byte;
  }
  return out;
}

std::string bash_script() {
  std::string all;
  std::string folders = "--workspace";
  std::string files = "replay";
  std::string free_text = "run";
  std::string choices;
  for (const Option& option : flags()) {
    all += (all.empty() ? "" : " ") + option.flag();
    if (option.kind == OptionKind::kSwitch) continue;
    if (!option.choices.empty()) {
      choices += fmt::format("    {}) words='{}' ;;\n", option.flag(), fmt::join(option.choices, " "));
    } else if (takes_folder(option)) {
      if (option.name != "workspace") folders += "|" + option.flag();
    } else {
      (option.is_path ? files : free_text) += "|" + option.flag();
    }
  }
  return fmt::format(R"(# bash completion for bashcell; made by `bashcell completion bash`.
_bashcell() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}" words=''
  # --log=de comes as three words.
  if [[ "$current" == '=' ]]; then
    current=''
  elif [[ "$previous" == '=' ]]; then
    previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  COMPREPLY=()
  case "$previous" in
    {}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    {}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    {}) return ;;
{}    config) words='{}' ;;
    shelf) words='{}' ;;
    completion) words='{}' ;;
    *)
      words='{}'
      [[ "${{COMP_WORDS[1]}}" != config ]] || words+=' {}'
      ((COMP_CWORD > 1)) || words+=' {}'
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -F _bashcell bashcell
)",
                     folders, files, free_text, choices, client_names(), kShelfVerbs, kShells, all, kConfigSwitches,
                     commands_text());
}

std::string zsh_script() {
  std::string options;
  for (const Option& option : flags()) {
    // In single quotes, where a quote cannot be escaped.
    std::string what = escaped(option.description, "[]:\\");
    for (size_t at = 0; (at = what.find('\'', at)) != std::string::npos; at += 4) what.replace(at, 1, "'\\''");
    std::string value;
    if (option.kind != OptionKind::kSwitch) {
      std::string action = option.is_path ? "_files" : " ";
      if (takes_folder(option)) action = "_files -/";
      if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
      value = fmt::format(":{}:{}", escaped(option.value_name, ":"), action);
    }
    options += fmt::format("  '{}{}[{}]{}' \\\n", option.flag(), value.empty() ? "" : "=", what, value);
  }
  return fmt::format(R"(#compdef bashcell
# Made by `bashcell completion zsh`.
local state
_arguments -S \
{}  '--write[config\: write the file of the client]' \
  '--windows[config\: for a client on Windows, through WSL]' \
  '1:command:({})' \
  '*:: :->operand'
[[ $state == operand ]] || return
case $words[1] in
  config) _values client {} ;;
  shelf) _values verb {} ;;
  completion) _values shell {} ;;
  replay) _files ;;
esac
)",
                     options, commands_text(), client_names(), kShelfVerbs, kShells);
}

std::string fish_script() {
  std::string text = fmt::format(R"(# fish completion for bashcell; made by `bashcell completion fish`.
complete -c bashcell -f
complete -c bashcell -n __fish_use_subcommand -a '{}'
complete -c bashcell -n '__fish_seen_subcommand_from config' -a '{}'
complete -c bashcell -n '__fish_seen_subcommand_from config' -l write -d 'write the file of the client'
complete -c bashcell -n '__fish_seen_subcommand_from config' -l windows -d 'for a client on Windows, through WSL'
complete -c bashcell -n '__fish_seen_subcommand_from shelf' -a '{}'
complete -c bashcell -n '__fish_seen_subcommand_from completion' -a '{}'
complete -c bashcell -n '__fish_seen_subcommand_from replay' -F
)",
                                 commands_text(), client_names(), kShelfVerbs, kShells);
  for (const Option& option : flags()) {
    std::string value;
    if (option.kind != OptionKind::kSwitch) value = option.is_path ? " -r -F" : " -x";
    if (takes_folder(option)) value = " -x -a '(__fish_complete_directories)'";
    if (!option.choices.empty()) value = fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    text += fmt::format("complete -c bashcell -l {}{} -d '{}'\n", option.flag().substr(2), value,
                        escaped(option.description, "'\\"));
  }
  return text;
}

}  // namespace

std::string completion(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  return shell == "fish" ? fish_script() : std::string();
}

}  // namespace bashcell::commands
