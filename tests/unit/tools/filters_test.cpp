#include "tools/filters.h"

#include <catch2/catch.hpp>
#include <set>

#include "tools/bash_tool.h"

using namespace bashcell::tools;

namespace {

std::string name_for(std::string_view script, const std::vector<Filter>& extra = {}) {
  const auto filter = filter_for(script, extra);
  return filter ? filter->name : "(none)";
}

}  // namespace

TEST_CASE("the filter of a command is found by its pattern, from the start to a word's end") {
  CHECK(name_for("cd x && python3 -m pytest -q 2>&1") == "pytest");
  CHECK(name_for("pytest-watch") == "(none)");
  CHECK(name_for("echo pytest") == "(none)");
  CHECK(name_for("pytest | tail -5") == "(none)");
  CHECK(filter_for("pytest", {})->text.find("awk") != std::string::npos);
}

TEST_CASE("filters of the user's come first") {
  const std::vector<Filter> extra{{"mine", {"py(test|lint)", "a+b", "x|y z"}, "cat"}, {"other", {"pytest"}, "cat"}};
  CHECK(name_for("pytest -q", extra) == "mine");
  CHECK(name_for("pylint", extra) == "mine");
  CHECK(name_for("ab", extra) == "mine");
  CHECK(name_for("aaab c", extra) == "mine");
  CHECK(name_for("x", extra) == "mine");
  CHECK(name_for("y z", extra) == "mine");
  CHECK(name_for("y zz", extra) == "(none)");
  CHECK(name_for("xx", extra) == "(none)");
}

TEST_CASE("ours have names of their own, and texts that fit into a frame") {
  std::set<std::string> names;
  for (const Filter& filter : built_in_filters()) {
    INFO(filter.name);
    CHECK(names.insert(filter.name).second);
    CHECK(filter.name.size() <= 30);
    CHECK_FALSE(filter.commands.empty());
    CHECK(filter.text.size() <= 16'384);
  }
  CHECK(names.contains("pytest"));
}

TEST_CASE("a request carries the filter, unless filters are off") {
  CHECK(bash_request({{"command", "pytest"}}, {})->filter_name == "pytest");
  CHECK_FALSE(bash_request({{"command", "pytest"}}, {})->filter.empty());
  CHECK(bash_request({{"command", "echo"}}, {})->filter.empty());
  BashToolOptions off;
  off.filters = false;
  CHECK(bash_request({{"command", "pytest"}}, off)->filter.empty());
}
