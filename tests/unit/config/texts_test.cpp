#include <algorithm>
#include <catch2/catch.hpp>

#include "config.h"
#include "config_commands.h"
#include "config_options.h"
#include "home.h"

namespace bashcell {
namespace {

using Catch::Contains;

std::vector<std::string> lines_of(const std::string& text) {
  REQUIRE(text.ends_with('\n'));
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    lines.push_back(text.substr(start, text.find('\n', start) - start));
  }
  return lines;
}

TEST_CASE("help fits on a screen, with the prompt after it") {
  const Words lines = lines_of(help_text());
  CHECK(lines.size() <= 23);
  for (const std::string& line : lines) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("help names every command") {
  for (const std::string& command : command_names()) CHECK_THAT(help_text(), Contains(command));
}

TEST_CASE("options names every option, one group after the other, and stays within 120 columns") {
  const std::string text = options_text();
  for (const Option& option : all_options()) {
    CHECK_THAT(text, Contains(option.only_in_file ? option.name : option.flag()));
  }
  Words heads;
  for (const std::string& line : lines_of(text)) {
    CHECK(line.size() <= 120);
    if (line.ends_with(':') && line[0] != ' ') heads.push_back(line);
  }
  std::sort(heads.begin(), heads.end());
  CHECK(std::adjacent_find(heads.begin(), heads.end()) == heads.end());
}

TEST_CASE("config has switches of its own, and passes options on with paths that hold anywhere") {
  const Home home;
  const auto parsed = home.parse({"config", "cursor", "--write", "--", "--workspace", "~/w", "--memory=64", "--warm",
                                  "--log", "debug", "--record", "${workspaceFolder}/r"});
  REQUIRE(parsed.ok());
  CHECK(parsed->command == Command::kConfig);
  CHECK(parsed->operand == "cursor");
  CHECK(parsed->write);
  CHECK_FALSE(parsed->on_windows);
  CHECK(parsed->server_arguments == Words{"--workspace", home.path() + "/w", "--warm", "--memory", "64", "--record",
                                          "${workspaceFolder}/r", "--log", "debug"});
  CHECK(home.parse({"config"})->operand.empty());
  CHECK(home.parse({"config", "--windows", "zed"})->on_windows);
  CHECK_THAT(home.error({"config", "zed", "--", "--memory=1"}), Contains("--memory is 1; it must be a whole number"));
  CHECK_THAT(home.error({"config", "zed", "--", "--write"}), Contains("there is no option --write"));
  CHECK_THAT(home.error({"config", "zed", "x"}), Contains("'x' is one argument too many"));
  CHECK_THAT(home.error({"run", "ls", "--write"}), Contains("there is no option --write"));
}

TEST_CASE("texts need no sound configuration, and completion knows its shells") {
  const Home home;
  home.write(".config/bashcell/config.json", "{");
  CHECK(home.parse({"options"})->command == Command::kOptions);
  CHECK(home.parse({"manual"})->command == Command::kManual);
  CHECK(home.parse({"completion", "zsh"})->operand == "zsh");
  CHECK(home.error({"completion"}) == "completion needs a shell: bash, zsh or fish");
  CHECK(home.error({"completion", "tcsh"}) == "there is no completion for 'tcsh': bash, zsh or fish");
}

}  // namespace
}  // namespace bashcell
