#include "tools/filters.h"

#include <regex.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "tools/bash_tool.h"

using namespace bashcell;
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
  const std::vector<Filter> odd{{"odd", {"a[](|]b|c", "d[^]|]*e", "f\\(|g", "(h|i)j?k"}, "cat"}};
  for (const char* script : {"'a]b'", "c", "'d(e'", "'f('", "g", "hk", "ijk"}) CHECK(name_for(script, odd) == "odd");
  for (const char* script : {"'a]'", "'d|e'", "f", "h"}) CHECK(name_for(script, odd) == "(none)");
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

TEST_CASE("the command of every sample leads to its filter") {
  for (const auto& entry : std::filesystem::directory_iterator(SOURCE_FOLDER "/filters")) {
    const auto filter = nlohmann::json::parse(*base::read_file(entry.path().string()));
    INFO(entry.path());
    for (const auto& sample : filter.at("samples"))
      CHECK(name_for(sample.at("command").get<std::string>()) == filter.at("name"));
  }
  CHECK(built_in_filters().size() >= 19);
}

TEST_CASE("other uses of a known program have no filter") {
  for (const char* script :
       {"git commit -m log", "git branch", "cargo fmt", "go fmt ./...", "grep x file", "cat README.md", "cat data.csv",
        "tail -5 notes.txt", "npm view x", "apt list", "make | tail", "ls | wc -l", "gcc-ar", "lsof", "findmnt"}) {
    INFO(script);
    CHECK(name_for(script) == "(none)");
  }
}

TEST_CASE("every pattern of ours is one") {
  for (const Filter& filter : built_in_filters()) {
    for (const std::string& expression : filter.commands) {
      INFO(filter.name << ": " << expression);
      regex_t compiled;
      REQUIRE(::regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB) == 0);
      ::regfree(&compiled);
    }
  }
}

TEST_CASE("a request carries the filter, unless filters are off") {
  CHECK(bash_request({{"command", "pytest"}}, {})->filter_name == "pytest");
  CHECK_FALSE(bash_request({{"command", "pytest"}}, {})->filter.empty());
  CHECK(bash_request({{"command", "echo"}}, {})->filter.empty());
  BashToolOptions off;
  off.filters = false;
  CHECK(bash_request({{"command", "pytest"}}, off)->filter.empty());
}
