#include "config_command_line.h"

#include <map>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace bashcell {
namespace {

// "--memroy=64" is "--memroy": the value is not needed to say what is wrong.
base::Error unknown_option(const std::string& argument, const std::vector<Option>& options) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string> known = {"--config", "--help", "--version"};
  for (const Option& option : options) {
    if (!option.only_in_file) known.push_back(option.flag());
  }
  return base::Error{fmt::format("there is no option {}{}", name, did_you_mean(name, known))};
}

// CLI11 says "--memory: 1 required  missing".
base::Error missing_value(const std::string& what) {
  return base::Error{fmt::format("{} needs a value", what.substr(0, what.find(':')))};
}

}  // namespace

base::Result<CommandLine> parse_command_line(const std::vector<Option>& options,
                                             const std::vector<std::string>& arguments) {
  CommandLine line;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_flag("-h,--help", line.help);
  app.add_flag("--version", line.version);
  const CLI::Option* config = app.add_option("--config")->take_last();
  // Three options and no list of words: CLI11 splits the items of a list at commas and drops brackets.
  const CLI::Option* command = app.add_option("command");
  const CLI::Option* operand = app.add_option("operand");
  const CLI::Option* subject = app.add_option("subject");
  std::map<std::string, const CLI::Option*> given;
  for (const Option& option : options) {
    if (option.only_in_file) continue;
    CLI::Option* added =
        option.kind == OptionKind::kSwitch ? app.add_flag(option.flag()) : app.add_option(option.flag());
    given[option.name] = added->take_last();
  }

  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes them in reverse
  } catch (const CLI::ArgumentMismatch& mismatch) {
    return missing_value(mismatch.what());
  } catch (const CLI::ParseError& error) {
    return base::Error{error.what()};
  }

  for (const CLI::Option* word : {command, operand, subject}) {
    if (!word->results().empty()) line.words.push_back(word->results().front());
  }
  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;
    if (extra.size() > 1 && extra[0] == '-') return unknown_option(extra, options);
    return base::Error{fmt::format("'{}' is one argument too many (put a script in quotes)", extra)};
  }
  if (!config->results().empty()) line.config_file = config->results().back();
  if (!config->results().empty() && line.config_file.empty()) return base::Error{"--config needs the path of a file"};
  for (const Option& option : options) {
    if (option.only_in_file) continue;
    const std::vector<std::string>& results = given[option.name]->results();
    if (!results.empty()) line.values.emplace_back(option.name, results.back());
  }
  return line;
}

}  // namespace bashcell
