#include "config_filters.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"

namespace bashcell {
namespace {

using Catch::Contains;
using nlohmann::json;

json filter_with(const std::string& member, const json& value) {
  json filter{{"name", "mine"}, {"command", "make( -j[0-9]+)?"}, {"filter", "sed 1q"}};
  if (value.is_null()) {
    filter.erase(member);
  } else {
    filter[member] = value;
  }
  return filter;
}

std::string problem_of(const json& filter) {
  const auto filters = extra_filters(json::array({filter_with("name", "first"), filter}));
  REQUIRE_FALSE(filters.ok());
  CHECK(filters.error().message.find('\n') == std::string::npos);
  return filters.error().message;
}

TEST_CASE("filters of the user's are read, with texts as arrays of lines, too") {
  const auto filters = extra_filters(
      json::array({filter_with("samples", json::array()),
                   {{"name", "two"}, {"command", {"a", "b c"}}, {"filter", {"awk '", "{ print \"\\\\\" }", "'"}}}}));
  REQUIRE(filters.ok());
  REQUIRE(filters->size() == 2);
  CHECK(filters->at(0).name == "mine");
  CHECK(filters->at(0).commands == std::vector<std::string>{"make( -j[0-9]+)?"});
  CHECK(filters->at(0).text == "sed 1q");
  CHECK(filters->at(1).commands == std::vector<std::string>{"a", "b c"});
  CHECK(filters->at(1).text == "awk '\n{ print \"\\\\\" }\n'");
  CHECK(extra_filters(json::array())->empty());
}

TEST_CASE("a wrong filter is named, with what is allowed") {
  CHECK_THAT(problem_of(5), Contains("filter 2 must be an object with name, command and filter"));
  for (const json& name : {json(), json(5), json(""), json(std::string(31, 'x')), json("a\nb"), json("[cell]")}) {
    CHECK_THAT(problem_of(filter_with("name", name)), Contains("filter 2 needs a name of at most 30 letters"));
  }
  for (const json& command : {json(), json(5), json(""), json("("), json("[a"), json::array(), json::array({"a", 5}),
                              json::array({"a", "*("})}) {
    CHECK_THAT(problem_of(filter_with("command", command)),
               Contains("filter 2 (\"mine\") needs a command: an extended regular expression"));
  }
  for (const json& text : {json(), json(5), json(""), json(" \n"), json::array(), json(std::string("a\0b", 3)),
                           json("a\x1b"), json(std::string(16'385, 'x')), json::array({"a", 5})}) {
    CHECK_THAT(problem_of(filter_with("filter", text)),
               Contains("filter 2 (\"mine\") needs a filter: a bash script of at most 16384 bytes"));
  }
  CHECK_THAT(problem_of(filter_with("comand", "x")), Contains("filter 2 has a member \"comand\"; allowed are name"));
  CHECK_THAT(extra_filters(json(101, filter_with("name", "x"))).error().message,
             Contains("has 101 filters; allowed are 100"));
}

TEST_CASE("filters are set in the file alone, and a wrong one is named with it") {
  std::string home = (std::filesystem::temp_directory_path() / "bashcell-config-XXXXXX").string();
  REQUIRE(::mkdtemp(home.data()) != nullptr);
  const std::string file = home + "/config.json";
  const auto parsed = [&](const std::string& text, const std::string& flag = "--warm") {
    REQUIRE(base::write_file(file, text).ok());
    return parse_invocation({"--config=" + file, flag}, {"HOME=" + home});
  };
  const auto good = parsed(R"({"extra_filters": [{"name": "a", "command": "b", "filter": "cat"}]})");
  REQUIRE(good.ok());
  CHECK(good->config.extra_filters.at(0).name == "a");
  CHECK(parsed(R"({"extra_filters": {}})").error().message ==
        "\"extra_filters\" in " + file +
            " is {}; it must be an array of filters: objects with name, command and filter");
  CHECK_THAT(parsed(R"({"extra_filters": [{"name": "a", "command": "("}]})").error().message,
             Contains("\"extra_filters\" in " + file + " is wrong: filter 1 (\"a\") needs a command"));
  CHECK_THAT(parsed("{}", "--extra-filters=[]").error().message, Contains("there is no option --extra-filters"));
  CHECK_THAT(parse_invocation({}, {"HOME=" + home, "BASHCELL_EXTRA_FILTERS=[]"}).error().message,
             Contains("there is no option for BASHCELL_EXTRA_FILTERS"));
  std::filesystem::remove_all(home);
}

}  // namespace
}  // namespace bashcell
