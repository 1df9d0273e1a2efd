#include <catch2/catch.hpp>

#include "commands/clients.h"
#include "commands/completion.h"
#include "commands/manual.h"
#include "config_commands.h"
#include "config_options.h"

namespace bashcell::commands {
namespace {

using Catch::Contains;

TEST_CASE("completions and the manual name every option, command and client") {
  std::string dashes = manual();
  for (size_t at = 0; (at = dashes.find("\\-", at)) != std::string::npos; ++at) dashes.erase(at, 1);
  for (const char* place : {"@VERSION@", "@OPTIONS@", "@CLIENTS@"}) CHECK_THAT(dashes, !Contains(place));
  for (const std::string& text : {completion("bash"), completion("zsh"), completion("fish"), dashes}) {
    INFO(text.substr(0, 40));
    const bool is_fish = text.starts_with("# fish");
    for (const Option& option : all_options()) {
      if (option.only_in_file) continue;
      CHECK_THAT(text, Contains((is_fish ? "-l " + option.flag().substr(2) : option.flag())));
      for (const std::string& choice : option.choices) CHECK_THAT(text, Contains(choice));
    }
    for (const std::string& command : command_names()) CHECK_THAT(text, Contains(command));
    for (const Client& client : all_clients()) CHECK_THAT(text, Contains(std::string(client.name)));
  }
  CHECK_THAT(dashes, Contains("extra_filters"));
  CHECK(completion("tcsh").empty());
}

}  // namespace
}  // namespace bashcell::commands
