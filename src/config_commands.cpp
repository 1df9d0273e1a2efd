#include "config_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "config_options.h"

namespace bashcell {
namespace {

using base::Error;
using base::Result;

Result<void> choose_shelf_verb(Invocation& invocation, const std::vector<std::string>& words) {
  invocation.operand = words.size() < 2 ? "list" : words[1];
  const std::map<std::string, const char*> subjects = {
      {"list", nullptr}, {"show", "a NAME"}, {"rm", "a NAME"}, {"export", "a folder: bashcell shelf export DIR"}};
  const auto found = subjects.find(invocation.operand);
  if (found == subjects.end()) {
    return Error{fmt::format("there is no command 'shelf {}'{}", invocation.operand,
                             did_you_mean(invocation.operand, {"list", "show", "rm", "export"}))};
  }
  if (found->second == nullptr && words.size() > 2) {
    return Error{fmt::format("'{}' is one argument too many: shelf list takes none", words[2])};
  }
  if (found->second == nullptr) return {};
  if (words.size() < 3 || words[2].empty()) {
    return Error{fmt::format("shelf {} needs {}", invocation.operand, found->second)};
  }
  invocation.subject = words[2];
  return {};
}

constexpr std::array<std::pair<std::string_view, Command>, 9> kCommands = {{{"serve", Command::kServe},
                                                                            {"run", Command::kRun},
                                                                            {"doctor", Command::kDoctor},
                                                                            {"config", Command::kConfig},
                                                                            {"replay", Command::kReplay},
                                                                            {"shelf", Command::kShelf},
                                                                            {"options", Command::kOptions},
                                                                            {"completion", Command::kCompletion},
                                                                            {"manual", Command::kManual}}};

// What a command works on: at most one word.
struct Operand {
  bool required = false;
  const char* what = nullptr;  // "run needs WHAT"; null: it takes none
};

Operand operand_of(Command command) {
  if (command == Command::kRun) return {true, "a script: bashcell run 'SCRIPT'"};
  if (command == Command::kReplay) return {true, "a FILE"};
  if (command == Command::kCompletion) return {true, "a shell: bash, zsh or fish"};
  if (command == Command::kConfig) return {false, "a client"};
  return {};
}

Result<void> choose_operand(Invocation& invocation, const std::vector<std::string>& words) {
  const Operand operand = operand_of(invocation.command);
  if (operand.required && words.size() < 2) return Error{fmt::format("{} needs {}", words[0], operand.what)};
  if (operand.what == nullptr && words.size() > 1) {
    return Error{fmt::format("'{}' is one argument too many: {} takes none", words[1], words[0])};
  }
  if (words.size() > 2) {
    return Error{fmt::format("'{}' is one argument too many{}", words[2],
                             invocation.command == Command::kRun ? " (put a script in quotes)" : "")};
  }
  if (words.size() == 2) invocation.operand = words[1];
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  if (invocation.command == Command::kCompletion &&
      std::find(shells.begin(), shells.end(), invocation.operand) == shells.end()) {
    return Error{fmt::format("there is no completion for '{}': bash, zsh or fish", invocation.operand)};
  }
  return {};
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& [name, command] : kCommands) names.emplace_back(name);
  return names;
}

Result<void> choose_command(Invocation& invocation, const CommandLine& line) {
  if (line.help) invocation.command = Command::kHelp;
  if (line.version) invocation.command = Command::kVersion;
  if (line.words.empty() || line.help || line.version) return {};

  const std::string& word = line.words[0];
  const auto* const found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const auto& command) { return command.first == word; });
  if (found == kCommands.end()) {
    return Error{fmt::format("there is no command '{}'{}", word, did_you_mean(word, command_names()))};
  }
  invocation.command = found->second;
  if (found->second == Command::kShelf) return choose_shelf_verb(invocation, line.words);
  return choose_operand(invocation, line.words);
}

std::vector<std::string> take_config_switches(Invocation& invocation, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] != "config") return arguments;
  std::vector<std::string> rest;
  bool is_servers = false;  // after --
  for (const std::string& argument : arguments) {
    if (!is_servers && argument == "--") {
      is_servers = true;
    } else if (!is_servers && argument == "--write") {
      invocation.write = true;
    } else if (!is_servers && argument == "--windows") {
      invocation.on_windows = true;
    } else {
      rest.push_back(argument);
    }
  }
  return rest;
}

std::vector<std::string> server_arguments(const CommandLine& line, const std::vector<Option>& options,
                                          const Environment& environment) {
  std::vector<std::string> arguments;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (value.starts_with('-')) {
      arguments.push_back(flag + "=" + value);
    } else {
      arguments.insert(arguments.end(), {flag, value});
    }
  };
  // What begins with $ is a variable of the client's, as ${workspaceFolder}.
  const auto settled = [&](const std::string& path) {
    return path.starts_with('$') || path.starts_with("volume:") ? path : absolute_path(path, environment);
  };
  if (!line.config_file.empty()) add("--config", settled(line.config_file));
  for (const auto& [name, text] : line.values) {
    const Option& option = *find_option(options, name);
    if (option.kind == OptionKind::kSwitch) {
      arguments.push_back(value_from_text(option, text) == true ? option.flag() : option.flag() + "=false");
      continue;
    }
    const bool is_path = option.is_path || (name == "runtime" && text.find('/') != std::string::npos);
    add(option.flag(), is_path ? settled(text) : text);
  }
  return arguments;
}

}  // namespace bashcell
