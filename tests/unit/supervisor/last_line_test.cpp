#include "supervisor/last_line.h"

#include <catch2/catch.hpp>

#include "base/utf8.h"
#include "wire/messages.h"

using bashcell::supervisor::LastLine;

namespace {

std::string last_of(std::string_view output) {
  LastLine line;
  line.add(output);
  return line.text();
}

}  // namespace

TEST_CASE("the last line is the last one with text, finished or not") {
  CHECK(last_of("").empty());
  CHECK(last_of("\n \n").empty());
  CHECK(last_of("one") == "one");
  CHECK(last_of("one\ntwo\n") == "two");
  CHECK(last_of("one\n  two \n\n \n") == "two");
  CHECK(last_of("one\ntw") == "tw");
}

TEST_CASE("it is text as a terminal would show it") {
  CHECK(last_of("10 %\r20 %\r\x1b[32m30 %\x1b[0m") == "30 %");
  CHECK(last_of("bell\x07 and \xff\xc3\xa9") == "bell and \xEF\xBF\xBD\xc3\xa9");
}

TEST_CASE("however long the output is, and however it comes, it is the same") {
  std::string output;
  for (int i = 0; i < 5'000; ++i) output += "line " + std::to_string(i) + "\n";
  output += "the end";
  CHECK(last_of(output) == "the end");
  for (const size_t piece : {1UL, 7UL, 4'095UL, 4'096UL, 4'097UL, 65'536UL}) {
    LastLine line;
    for (size_t at = 0; at < output.size(); at += piece) line.add(std::string_view(output).substr(at, piece));
    CHECK(line.text() == "the end");
  }
}

TEST_CASE("a long line is cut in whole characters, and fits into its frame") {
  CHECK(last_of(std::string(201, 'x')) == std::string(200, 'x') + "…");
  CHECK(last_of(std::string(200, 'x')) == std::string(200, 'x'));
  std::string wide;
  for (int i = 0; i < 3'000; ++i) wide += "\xF0\x9F\x98\x80";
  const std::string shown = last_of(wide);
  CHECK(bashcell::base::is_valid_utf8(shown));
  CHECK(bashcell::base::utf8_length(shown) == 201);
  CHECK(shown.size() <= bashcell::wire::kMaxLastLine);
}
