// The small helpers that make or measure text: quantities, durations, the shape of JSON, log lines.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <vector>

#include "base/clock.h"
#include "base/json_shape.h"
#include "base/log.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/unique_fd.h"

using namespace bashcell::base;
using namespace std::chrono_literals;

TEST_CASE("numbers are grouped by thousands") {
  const std::vector<std::pair<int64_t, std::string>> rows{{0, "0"},
                                                          {9, "9"},
                                                          {999, "999"},
                                                          {1000, "1,000"},
                                                          {93211, "93,211"},
                                                          {100000, "100,000"},
                                                          {1234567, "1,234,567"},
                                                          {-1, "-1"},
                                                          {-1000, "-1,000"},
                                                          {-123, "-123"},
                                                          {INT64_MAX, "9,223,372,036,854,775,807"}};
  for (const auto& [number, text] : rows) CHECK(grouped(number) == text);
  CHECK(counted(0, "line") == "0 lines");
  CHECK(counted(1, "line") == "1 line");
  CHECK(counted(2000, "line") == "2,000 lines");
}

TEST_CASE("sizes are decimal with at most one decimal") {
  const std::vector<std::pair<int64_t, std::string>> rows{
      {0, "0 bytes"},        {1, "1 byte"},         {999, "999 bytes"},      {1000, "1 KB"},
      {1049, "1 KB"},        {1050, "1.1 KB"},      {999'949, "999.9 KB"},   {999'950, "1 MB"},
      {4'100'000, "4.1 MB"}, {32 << 20, "33.6 MB"}, {5'000'000'000, "5 GB"}, {INT64_MAX, "9.2 EB"}};
  for (const auto& [bytes, text] : rows) {
    CHECK(size_text(bytes) == text);
    CHECK(size_text(bytes).size() <= kMaxSizeText);
  }
}

TEST_CASE("seconds have no trailing zeros") {
  const std::vector<std::pair<Duration, std::string>> rows{{0ms, "0 s"},     {4ms, "0 s"},       {5ms, "0.01 s"},
                                                           {500ms, "0.5 s"}, {2250ms, "2.25 s"}, {30s, "30 s"},
                                                           {1999ms, "2 s"},  {1990ms, "1.99 s"}, {1050ms, "1.05 s"}};
  for (const auto& [duration, text] : rows) CHECK(seconds_text(duration) == text);
}

TEST_CASE("what is left until a deadline is never negative and never too short") {
  CHECK(until(now() - 1h) == Duration::zero());
  const Instant deadline = now() + 50ms;
  const Duration left = until(deadline);
  CHECK(left <= 50ms);
  CHECK(left >= 1ms);
  CHECK(until(now() + 1h) > 59min);
}

TEST_CASE("the shape of JSON text counts brackets outside strings") {
  const std::vector<std::tuple<std::string, size_t, size_t>> rows{{"", 0, 0},
                                                                  {"1", 0, 0},
                                                                  {"[]", 1, 1},
                                                                  {R"({"a":[1,2]})", 2, 4},
                                                                  {R"(["[[[{\"[["])", 1, 1},
                                                                  {"[[],[],[[]]]", 3, 7},
                                                                  {"]]]", 0, 0},
                                                                  {"]]][[", 2, 2},
                                                                  {R"("\\")", 0, 0},
                                                                  {R"("\\"[)", 1, 1},
                                                                  {"\"open [[", 0, 0},
                                                                  {"\"\\", 0, 0}};
  for (const auto& [text, depth, elements] : rows) {
    CAPTURE(text);
    CHECK(json_shape(text).depth == depth);
    CHECK(json_shape(text).elements == elements);
  }
  CHECK(json_shape(std::string(1'000'000, '[')).depth == 1'000'000);
}

TEST_CASE("a log line is one line, and only of the wanted levels") {
  Pipe pipe = make_pipe().value();
  const Log log(LogLevel::kInfo, pipe.write.get());
  log.error("one\ntwo\r");
  log.info("three");
  log.debug("four");
  Log(LogLevel::kQuiet, pipe.write.get()).error("five");
  pipe.write.reset();
  char buffer[200];
  const ssize_t n = ::read(pipe.read.get(), buffer, sizeof buffer);
  REQUIRE(n > 0);
  CHECK(std::string(buffer, static_cast<size_t>(n)) == "bashcell: one two \nbashcell: three\n");
  CHECK(log.enabled(LogLevel::kInfo));
  CHECK(!log.enabled(LogLevel::kDebug));
  Log(LogLevel::kError, -1).error("a closed descriptor is no failure");
}

TEST_CASE("text is cut at each separator, and nothing stands after a last one") {
  using Parts = std::vector<std::string_view>;
  CHECK(bashcell::base::split("", '\n') == Parts{});
  CHECK(bashcell::base::split("a", '\n') == Parts{"a"});
  CHECK(bashcell::base::split("a\n\nb\n", '\n') == Parts{"a", "", "b"});
  CHECK(bashcell::base::split("\n", '\n') == Parts{""});
  CHECK(bashcell::base::split(std::string_view("x\0y", 3), '\0') == Parts{"x", "y"});
}

TEST_CASE("line ends become those of Unix, and a carriage return alone stays") {
  CHECK(bashcell::base::with_unix_line_ends("a\r\nb\r\r\n\rc\r") == "a\nb\r\n\rc\r");
}

TEST_CASE("a byte is in a line, counted from 1") {
  CHECK(line_of("", 0) == 1);
  CHECK(line_of("a\nb\n", 1) == 1);
  CHECK(line_of("a\nb\n", 2) == 2);
  CHECK(line_of("a\nb", 99) == 2);
}
