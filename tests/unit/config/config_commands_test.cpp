#include "config_commands.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using Catch::Contains;

namespace {

Invocation chosen(std::vector<std::string> words) {
  Invocation invocation;
  REQUIRE(choose_command(invocation, {.words = std::move(words)}));
  return invocation;
}

std::string refused(std::vector<std::string> words) {
  Invocation invocation;
  const base::Result<void> made = choose_command(invocation, {.words = std::move(words)});
  return made ? "chosen" : made.error().message;
}

}  // namespace

TEST_CASE("shelf has verbs of its own, and lists when none is given") {
  CHECK(chosen({"shelf"}).command == Command::kShelf);
  CHECK(chosen({"shelf"}).operand == "list");
  CHECK(chosen({"shelf", "list"}).operand == "list");
  const Invocation show = chosen({"shelf", "show", "count"});
  CHECK(show.operand == "show");
  CHECK(show.subject == "count");
  CHECK(chosen({"shelf", "export", "/tmp/x"}).subject == "/tmp/x");

  CHECK(refused({"shelf", "shwo", "x"}) == "there is no command 'shelf shwo'; did you mean show?");
  CHECK(refused({"shelf", "rm"}) == "shelf rm needs a NAME");
  CHECK_THAT(refused({"shelf", "export", ""}), Contains("needs a folder"));
  CHECK_THAT(refused({"shelf", "list", "x"}), Contains("'x' is one argument too many"));
}

TEST_CASE("only shelf takes a third word") {
  CHECK(chosen({"run", "echo"}).operand == "echo");
  CHECK_THAT(refused({"run", "echo", "hi"}), Contains("'hi' is one argument too many (put a script in quotes)"));
  CHECK_THAT(refused({"doctor", "x", "y"}), Contains("'x' is one argument too many"));
  CHECK_THAT(refused({"shef"}), Contains("did you mean shelf?"));
}
