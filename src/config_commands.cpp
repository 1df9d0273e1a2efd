#include "config_commands.h"

#include <fmt/format.h>

#include <map>

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

}  // namespace

Result<void> choose_command(Invocation& invocation, const CommandLine& line) {
  if (line.help) invocation.command = Command::kHelp;
  if (line.version) invocation.command = Command::kVersion;
  if (line.words.empty() || line.help || line.version) return {};

  const std::map<std::string, Command> commands = {{"serve", Command::kServe},
                                                   {"run", Command::kRun},
                                                   {"doctor", Command::kDoctor},
                                                   {"replay", Command::kReplay},
                                                   {"shelf", Command::kShelf}};
  const std::string& word = line.words[0];
  const auto found = commands.find(word);
  if (found == commands.end()) {
    return Error{fmt::format("there is no command '{}'{}", word,
                             did_you_mean(word, {"serve", "run", "doctor", "replay", "shelf"}))};
  }
  invocation.command = found->second;
  if (found->second == Command::kShelf) return choose_shelf_verb(invocation, line.words);
  const bool takes_operand = found->second == Command::kRun || found->second == Command::kReplay;
  if (takes_operand && line.words.size() < 2) {
    return Error{fmt::format("{} needs {}", word, word == "run" ? "a script: bashcell run 'SCRIPT'" : "a FILE")};
  }
  if (!takes_operand && line.words.size() > 1) {
    return Error{fmt::format("'{}' is one argument too many: {} takes none", line.words[1], word)};
  }
  if (line.words.size() > 2) {
    return Error{fmt::format("'{}' is one argument too many (put a script in quotes)", line.words[2])};
  }
  if (takes_operand) invocation.operand = line.words[1];
  return {};
}

}  // namespace bashcell
