#include "rpc/match.h"

#include <catch2/catch.hpp>

#include "rpc/regex.h"

using namespace bashcell::rpc;
using nlohmann::json;

namespace {

std::optional<std::string> compare(const std::string& pattern, const std::string& actual) {
  Bindings bindings;
  return difference(json::parse(pattern), json::parse(actual), bindings);
}

bool matches(const std::string& pattern, const std::string& actual) { return !compare(pattern, actual); }

}  // namespace

TEST_CASE("matching is exact") {
  CHECK(matches(R"({"a":[1,"x",null,{"b":true}]})", R"({"a":[1,"x",null,{"b":true}]})"));
  CHECK_FALSE(matches(R"({"a":1})", R"({"a":1,"b":2})"));
  CHECK_FALSE(matches(R"({"a":1,"b":2})", R"({"a":1})"));
  CHECK_FALSE(matches("[1]", "[1,2]"));
  CHECK_FALSE(matches("1", "\"1\""));
  CHECK_FALSE(matches("1", "1.0"));
  CHECK_FALSE(matches("{}", "[]"));
}

TEST_CASE("a difference names its place") {
  CHECK(compare(R"({"r":{"c":[{"t":"x"}]}})", R"({"r":{"c":[{"t":"y"}]}})") == R"(r.c[0].t: expected "x", got "y")");
  CHECK(compare(R"({"r":{}})", R"({"r":{"new":1}})") == "r.new: expected nothing, got 1");
  CHECK(compare(R"({"r":1})", R"({})") == "r: expected 1, got nothing");
  CHECK(compare("[1]", "[]") == "the message: expected 1 elements, got 0");
  CHECK(compare("1", "2") == "the message: expected 1, got 2");
}

TEST_CASE("$any takes one type") {
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"string", "\"\""}, {"number", "1.5"}, {"integer", "-1"}, {"boolean", "false"},
      {"object", "{}"},   {"array", "[1]"},  {"null", "null"}};
  for (const auto& [type, sample] : samples) {
    CHECK(matches(R"({"$any":"any"})", sample));
    for (const auto& [other, value] : samples) {
      const bool same = type == other || (type == "number" && other == "integer");
      CHECK(matches(R"({"$any":")" + type + "\"}", value) == same);
    }
  }
}

TEST_CASE("$re matches the whole string, and strings only") {
  CHECK(matches(R"({"$re":"a+b"})", "\"aab\""));
  CHECK_FALSE(matches(R"({"$re":"a+"})", "\"aab\""));
  CHECK_FALSE(matches(R"({"$re":"1"})", "1"));
  CHECK(matches(R"({"$re":"[\\s\\S]*end"})", R"("line\nend")"));
}

TEST_CASE("$bind takes anything once and the same afterwards") {
  CHECK(matches(R"([{"$bind":"x"},{"$bind":"x"},{"$bind":"y"}])", R"([{"a":1},{"a":1},2])"));
  CHECK_FALSE(matches(R"([{"$bind":"x"},{"$bind":"x"}])", "[1,2]"));
  Bindings bindings;
  CHECK_FALSE(difference(json{{"$bind", "x"}}, 1, bindings));
  CHECK(difference(json{{"$bind", "x"}}, 2, bindings));
}

TEST_CASE("an object with a $ member and others is no matcher") {
  CHECK(matches(R"({"$schema":"x","a":1})", R"({"$schema":"x","a":1})"));
  CHECK(matches(R"({"":1})", R"({"":1})"));
}

TEST_CASE("misspelt matchers are errors") {
  for (const char* pattern :
       {R"({"$anny":"x"})", R"({"a":[{"$any":"text"}]})", R"({"$re":"("})", R"({"$re":1})", R"({"$bind":{}})"}) {
    CHECK_FALSE(check_pattern(json::parse(pattern)).ok());
  }
  for (const char* pattern : {R"({"$any":"any"})", R"({"a":[{"$re":"x"}]})", "1", "{}", R"({"$schema":"x","a":1})"}) {
    CHECK(check_pattern(json::parse(pattern)).ok());
  }
}

TEST_CASE("long texts do not overflow the stack") {
  const std::string text(100'000, 'x');
  CHECK(regex_matches("(a|x)*", text));
  CHECK(regex_found("x[\\s\\S]*x$", text));
}
