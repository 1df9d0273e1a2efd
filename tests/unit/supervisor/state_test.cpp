#include "supervisor/state.h"

#include <catch2/catch.hpp>

#include "supervisor/shell.h"

namespace {

using namespace bashcell::supervisor;
using namespace std::string_literals;

// As the EXIT trap writes it.
std::string saved_text(const std::string& stages, const std::string& variables, const std::string& names = "",
                       const std::string& bodies = "", const std::string& locals = "",
                       const std::string& cwd = "/tmp") {
  return "#cell1\0"s + stages + "\0cmdhist:extglob\0"s + cwd + "\0/old\0"s + variables +
         "declare -- BASH_VERSION=\"5\"\n\0"s + "0027\n" + "\0"s + "alias ll='echo '\\''x'\\'''\n" + "\0"s + names +
         "\0"s + bodies + "\0"s + locals + "\0#end\0"s;
}

ShellState start_state() {
  ShellState state;
  state.cwd = "/workspace";
  return state;
}

}  // namespace

TEST_CASE("a saved state is read with everything that carries over") {
  const auto saved =
      parse_saved(saved_text("4 1 0 4", "declare -- A=\"1\"\ndeclare -x B=$'a\\nb'\n"), start_state(), "/run/cell");
  REQUIRE(saved);
  CHECK(saved->stages == std::vector<int>{1, 0, 4});
  CHECK(saved->state.cwd == "/tmp");
  CHECK(saved->state.old_cwd == "/old");
  CHECK(saved->state.umask == "0027");
  CHECK(saved->state.variables.at("A") == "declare -- A=\"1\"");
  CHECK(saved->state.variables.at("B") == "declare -x B=$'a\\nb'");
  CHECK(saved->state.aliases.at("ll") == "alias ll='echo '\\''x'\\'''");
  CHECK(saved->state.shopts == std::set<std::string>{"cmdhist", "extglob"});
}

TEST_CASE("what belongs to the shell itself is not carried") {
  const auto saved =
      parse_saved(saved_text("0 0", "declare -ir PPID=\"1\"\ndeclare -- __cp=\"0\"\ndeclare -- K=\"v\"\n"),
                  start_state(), "/run/cell");
  REQUIRE(saved);
  CHECK(saved->state.variables.size() == 1);
  CHECK(saved->state.variables.contains("K"));
}

TEST_CASE("a state that is cut, forged or empty is refused") {
  const std::string whole = saved_text("0 0", "declare -- A=\"1\"\n");
  const ShellState start = start_state();
  CHECK(parse_saved(whole, start, "/run/cell"));
  CHECK_FALSE(parse_saved("", start, "/run/cell"));
  CHECK_FALSE(parse_saved("garbage", start, "/run/cell"));
  CHECK_FALSE(parse_saved("x" + whole, start, "/run/cell"));
  CHECK_FALSE(parse_saved(whole + whole, start, "/run/cell"));
  std::string disabled = whole;  // `enable -n declare`
  disabled.replace(disabled.find("BASH_VERSION"), 12, "BUSH_VERSION");
  CHECK_FALSE(parse_saved(disabled, start, "/run/cell"));
  for (size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(parse_saved(whole.substr(0, length), start, "/run/cell"));
  }
}

TEST_CASE("a script that never ran its first line keeps the cwd it started with") {
  const auto saved = parse_saved(saved_text("2 2", "", "", "", "", "/run/cell"), start_state(), "/run/cell");
  REQUIRE(saved);
  CHECK(saved->state.cwd == "/workspace");
  CHECK(saved->state.old_cwd.empty());
}

TEST_CASE("values may span lines and hold what looks like the next item") {
  const auto items = split_listing("declare -- A=\"x\ndeclare -- B=1\"\ndeclare -a C=([0]=\"y\n)\" [1]=$'q\\'\\n')\n");
  REQUIRE(items.size() == 2);
  CHECK(items[0] == "declare -- A=\"x\ndeclare -- B=1\"");
  CHECK(items[1] == "declare -a C=([0]=\"y\n)\" [1]=$'q\\'\\n')");
}

TEST_CASE("functions are told apart by the header of the next, not by their bodies") {
  const std::string one = "f () \n{ \n    cat <<E\n}\nE\n\n}\n";
  const std::string two = "function g:x () \n{ \n    true\n}\n";
  const auto saved =
      parse_saved(saved_text("0 0", "", "declare -f f\ndeclare -fx g:x\n", one + two), start_state(), "/run/cell");
  REQUIRE(saved);
  CHECK(saved->state.functions.at("f") == one);
  CHECK(saved->state.functions.at("g:x") == two + "\\builtin declare -fx -- 'g:x'\n");
}

TEST_CASE("locals of a function that called exit do not become variables") {
  ShellState start = start_state();
  start.variables["KEPT"] = "declare -- KEPT=\"old\"";
  const auto saved = parse_saved(saved_text("0 0", "declare -- KEPT=\"local\"\ndeclare -- NEW=\"local\"\n", "", "",
                                            "declare -- KEPT=\"local\"\ndeclare -- NEW=\"local\"\n"),
                                 start, "/run/cell");
  REQUIRE(saved);
  CHECK(saved->state.variables.at("KEPT") == "declare -- KEPT=\"old\"");
  CHECK_FALSE(saved->state.variables.contains("NEW"));
}

TEST_CASE("a call changes only what it changed") {
  ShellState start = start_state();
  start.variables = {{"A", "1"}, {"B", "1"}, {"GONE", "1"}};
  start.shopts = {"x"};
  ShellState other = start;  // committed meanwhile by another call
  other.cwd = "/moved";
  other.variables["B"] = "2";
  other.variables["C"] = "new";
  ShellState mine = start;
  mine.variables["A"] = "mine";
  mine.variables.erase("GONE");
  mine.shopts = {"y"};
  const ShellState result = merged(start, mine, other);
  CHECK(result.cwd == "/moved");
  CHECK(result.variables == std::map<std::string, std::string>{{"A", "mine"}, {"B", "2"}, {"C", "new"}});
  CHECK(result.shopts == std::set<std::string>{"y"});
  CHECK(merged(start, mine, start) == mine);
}

TEST_CASE("functions that would hide a builtin of the restore come last") {
  ShellState state = start_state();
  state.functions["builtin"] = "builtin () \n{ \n    :\n}\n";
  state.functions["plain"] = "plain () \n{ \n    :\n}\n";
  const RestoreText text = restore_text(state);
  CHECK(text.state.find("plain ()") != std::string::npos);
  CHECK(text.state.find("builtin ()") == std::string::npos);
  CHECK(text.late.find("builtin ()") != std::string::npos);
}

TEST_CASE("words are quoted onto one line") {
  CHECK(shell_quoted("") == "''");
  CHECK(shell_quoted("a b") == "'a b'");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
  CHECK(shell_quoted("a\nb'\\") == "$'a\\012b\\'\\\\'");
}
