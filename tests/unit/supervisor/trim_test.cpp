#include "supervisor/output/trim.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/utf8.h"
#include "output_samples.h"
#include "supervisor/output/json_cost.h"

using bashcell::supervisor::Dice;
using bashcell::supervisor::json_cost;
using bashcell::supervisor::Trimmed;
using bashcell::supervisor::Trimmer;

namespace {

Trimmed trimmed(std::string_view text, size_t budget, size_t max_chars) {
  Trimmer trimmer(max_chars);
  trimmer.add(text);
  return std::move(trimmer).finish(budget, budget);
}

Trimmed trimmed(std::string_view text, size_t budget) { return trimmed(text, budget, budget); }

std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + '\n';
  return text;
}

// The same without digits: no two lines look alike.
std::string words(int from, int to) {
  std::string text = numbers(from, to);
  for (char& c : text) {
    if (c != '\n') c = static_cast<char>('a' + (c - '0'));
  }
  return text;
}

int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (size_t at = 0;;) {
    const size_t newline = text.find('\n', at);
    lines.emplace_back(text.substr(at, newline - at));
    if (newline == std::string_view::npos) return lines;
    at = newline + 1;
  }
}

struct Mark {
  std::string before;
  std::string what;
  std::string after;
};

// The first "[... WHAT left out ...]" with what stands around it.
std::optional<Mark> mark_in(const std::string& line) {
  const std::string open = "[... ";
  const std::string close = " left out ...]";
  const size_t begin = line.find(open);
  const size_t end = begin == std::string::npos ? begin : line.find(close, begin);
  if (end == std::string::npos) return std::nullopt;
  return Mark{line.substr(0, begin), line.substr(begin + open.size(), end - begin - open.size()),
              line.substr(end + close.size())};
}

// "93,211 lines, 4.1 MB" -> 93211.
int64_t leading_number(const std::string& text) {
  int64_t number = 0;
  for (const char c : text) {
    if (c == ',') continue;
    if (c < '0' || c > '9') break;
    number = number * 10 + (c - '0');
  }
  return number;
}

// How many bytes of `original` are in `shown`, where its middle may be replaced by a mark; -1 if it is not that line.
int64_t shown_of_line(const std::string& original, const std::string& shown) {
  if (shown == original) return static_cast<int64_t>(original.size());
  const std::optional<Mark> mark = mark_in(shown);
  if (!mark || !mark->before.ends_with(' ') || !mark->after.starts_with(' ')) return -1;
  const std::string head = mark->before.substr(0, mark->before.size() - 1);
  const std::string tail = mark->after.substr(1);
  if (head.size() + tail.size() > original.size() || !original.starts_with(head) || !original.ends_with(tail))
    return -1;
  const int64_t missing = characters(original) - characters(head) - characters(tail);
  if (mark->what != bashcell::base::counted(missing, "character")) return -1;
  return static_cast<int64_t>(head.size() + tail.size());
}

// Every line shown is a line of the original in its place, every count is right, and nothing is over the budget.
void check_exact(const std::string& text, const Trimmed& result, size_t budget) {
  std::string whole = text;
  while (!whole.empty() && whole.back() == '\n') whole.pop_back();
  REQUIRE(json_cost(result.text) <= budget);
  REQUIRE(bashcell::base::is_valid_utf8(result.text));
  const std::vector<std::string> original = lines_of(whole);
  REQUIRE(result.total_lines == static_cast<int64_t>(original.size()));
  REQUIRE(result.total_bytes == static_cast<int64_t>(whole.size()));
  if (json_cost(whole) <= budget) {
    REQUIRE(result.text == whole);
    REQUIRE(result.left_out_bytes == 0);
    REQUIRE(result.left_out_lines == 0);
    return;
  }
  const std::vector<std::string> shown = lines_of(result.text);
  int64_t shown_bytes = 0;
  int64_t left_out_lines = 0;
  size_t next = 0;
  for (const std::string& line : shown) {
    const std::optional<Mark> mark = mark_in(line);
    if (mark && mark->before.empty() && mark->after.empty()) {
      const int64_t lines = leading_number(mark->what);
      int64_t bytes = 0;
      for (int64_t i = 0; i < lines; ++i, ++next) bytes += static_cast<int64_t>(original.at(next).size()) + 1;
      if (next == original.size()) --bytes;
      const std::string unit = mark->what.find("similar") == std::string::npos ? "line" : "similar line";
      REQUIRE(mark->what == bashcell::base::counted(lines, unit) + ", " + bashcell::base::size_text(bytes));
      left_out_lines += lines;
      continue;
    }
    const int64_t bytes = shown_of_line(original.at(next), line);
    REQUIRE(bytes >= 0);
    ++next;
    shown_bytes += bytes + (next < original.size() ? 1 : 0);
  }
  if (!shown.empty()) REQUIRE(next == original.size());
  REQUIRE(result.left_out_lines == (shown.empty() ? result.total_lines : left_out_lines));
  REQUIRE(result.left_out_bytes == result.total_bytes - shown_bytes);
  REQUIRE(result.left_out_bytes > 0);
}

}  // namespace

TEST_CASE("newlines at the end are not part of the text [C37]") {
  for (const auto& [text, kept, lines] :
       std::vector<std::tuple<std::string, std::string, int64_t>>{{"abc", "abc", 1},
                                                                  {"a\n\n", "a", 1},
                                                                  {"", "", 0},
                                                                  {"\n\n\n", "", 0},
                                                                  {"x", "x", 1},
                                                                  {"tail\\", "tail\\", 1},
                                                                  {"\n\na\n", "\n\na", 3},
                                                                  {"a\n\nb\n", "a\n\nb", 3}}) {
    CAPTURE(text);
    const Trimmed result = trimmed(text, 7500);
    CHECK(result.text == kept);
    CHECK(result.total_lines == lines);
    CHECK(result.total_bytes == static_cast<int64_t>(kept.size()));
    CHECK(result.left_out_bytes == 0);
  }
  CHECK(trimmed("a" + std::string(100'000, '\n'), 200).text == "a");
}

TEST_CASE("text that fits is left alone, and one unit more is cut [C52]") {
  for (const size_t budget : {200U, 1000U, 7500U}) {
    for (const int difference : {-2, -1, 0, 1, 2}) {
      const std::string text(budget + static_cast<size_t>(difference), 'x');
      const Trimmed result = trimmed(text, budget);
      check_exact(text, result, budget);
      CHECK((result.left_out_bytes > 0) == (difference > 0));
      const std::string quotes(budget / 2 + static_cast<size_t>(difference), '"');
      check_exact(quotes, trimmed(quotes, budget), budget);
    }
  }
}

TEST_CASE("short output is complete [C52]") {
  const std::string text = numbers(1, 100);
  CHECK(trimmed(text, 7500).text + "\n" == text);
}

TEST_CASE("of many lines the first and the last are kept, with the exact gap between [C50] [C52]") {
  const std::string text = words(1, 200'000) + "final words\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.text.substr(0, 4) == "b\nc\n");
  CHECK(result.text.substr(result.text.size() - 19) == "\ncaaaaa\nfinal words");
  CHECK(result.total_lines == 200'001);
  const size_t gap = result.text.find("\n[... ");
  REQUIRE(gap != std::string::npos);
  const size_t head = json_cost(result.text.substr(0, gap));
  const size_t tail = json_cost(result.text.substr(result.text.find('\n', gap + 1)));
  CHECK(head > 2100);
  CHECK(head <= 2300);
  CHECK(tail > 5000);
  CHECK(json_cost(result.text) > 7400);
}

TEST_CASE("of many similar lines in a row a few stand for all") {
  const std::string text = "start\n" + numbers(1, 200'000) + "FINAL_ERROR\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.text == "start\n1\n2\n3\n4\n[... 199,995 similar lines, 1.3 MB left out ...]\n200000\nFINAL_ERROR");
}

TEST_CASE("the one error in the middle is shown, with its neighbours") {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "[" + std::to_string(i) + "/6001] CC src/unit" + std::to_string(i * 7) + ".o\n";
  text +=
      "src/parse.c: In function 'parse':\nsrc/parse.c:12:5: error: expected ';' before 'return'\n   12 |   return x\n  "
      "    |   ^\n";
  for (int i = 3000; i < 6000; ++i)
    text += "[" + std::to_string(i) + "/6001] CC src/unit" + std::to_string(i * 7) + ".o\n";
  text += "make: *** [all] Error 1\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.text.find("In function 'parse'") != std::string::npos);
  CHECK(result.text.find("expected ';' before 'return'") != std::string::npos);
  CHECK(result.text.find("   12 |   return x") != std::string::npos);
  CHECK(result.text.size() < 700);
}

TEST_CASE("an error among lines that all differ is shown in a small budget, too") {
  for (const size_t budget : {400U, 1000U, 7500U}) {
    const std::string text = words(1, 50'000) + "cc: fatal error: no input files\n" + words(50'000, 100'000);
    const Trimmed result = trimmed(text, budget, 7500);
    check_exact(text, result, budget);
    CHECK(result.text.find("\ncc: fatal error: no input files\n") != std::string::npos);
  }
}

TEST_CASE("a line that looks like no other is shown") {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    text += (i % 3 == 0 ? "GET /a/" : i % 3 == 1 ? "PUT /b/" : "request took ") + std::to_string(i) + " ms\n";
    if (i == 12'345) text += "the disk is full of cheese\n";
  }
  const Trimmed result = trimmed(text, 2000);
  check_exact(text, result, 2000);
  CHECK(result.text.find("\nthe disk is full of cheese\n") != std::string::npos);
}

TEST_CASE("of many errors the first ones are shown") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "step " + words(i, i) + "ERROR in worker " + words(i, i);
  }
  const Trimmed result = trimmed(text, 3000);
  check_exact(text, result, 3000);
  CHECK(result.text.find("ERROR in worker bc\n") != std::string::npos);
}

TEST_CASE("the marks read as documented") {
  CHECK(trimmed(words(1, 2000), 200).text ==
        words(1, 14) + "[... 1,970 lines, 8.8 KB left out ...]\n" + words(1985, 1999) + "caaa");
  CHECK(trimmed(std::string(1000, 'x'), 200).text ==
        std::string(65, 'x') + " [... 837 characters left out ...] " + std::string(98, 'x'));
}

TEST_CASE("one enormous line shows its head and its tail within the whole budget [C51]") {
  const std::string text = std::string(10'000'000, 'A') + "\nEND\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.left_out_lines == 0);
  CHECK(result.text.substr(0, 2900) == std::string(2900, 'A'));
  CHECK(result.text.substr(result.text.size() - 1004) == std::string(1000, 'A') + "\nEND");
  CHECK(json_cost(result.text) > 7490);
  const Trimmed alone = trimmed(std::string(3'000'000, 'B') + "\n", 7500);
  check_exact(std::string(3'000'000, 'B'), alone, 7500);
}

TEST_CASE("several long lines are cut in the middle, and short ones beside them stay") {
  std::string text = "first\n";
  for (int i = 0; i < 4; ++i) text += std::string(20'000, static_cast<char>('a' + i)) + "\nbetween\n";
  text += "last";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.left_out_lines == 0);
  const std::vector<std::string> lines = lines_of(result.text);
  REQUIRE(lines.size() == 10);
  for (const size_t i : {1U, 3U, 5U, 7U}) {
    CHECK(lines[i].size() <= 1500);
    CHECK(lines[i].size() > 1490);
  }
  CHECK(lines[8] == "between");
}

TEST_CASE("a long line at either end of a flood is shown with both ends") {
  const std::string text = std::string(50'000, 'h') + "H\n" + numbers(1, 10'000) + std::string(50'000, 't') + "T\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  const std::vector<std::string> lines = lines_of(result.text);
  CHECK(lines.front().back() == 'H');
  CHECK(lines.back().back() == 'T');
  CHECK(lines.back().front() == 't');
}

TEST_CASE("what a notice costs is only taken off when something is left out") {
  const std::string fits(1000, 'x');
  Trimmer whole(1000);
  whole.add(fits);
  CHECK(std::move(whole).finish(1000, 800).text == fits);
  Trimmer cut(1000);
  cut.add(fits + "y");
  const Trimmed result = std::move(cut).finish(1000, 800);
  check_exact(fits + "y", result, 800);
}

TEST_CASE("any budget up to the largest is kept to, from nothing on") {
  const std::vector<std::string> texts{
      numbers(1, 5000), std::string(9000, 'x'), std::string(5000, '\n') + "x",
      "\"" + std::string(3000, '\\') + "\n" + std::string(3000, '"') + "\n" + numbers(1, 900)};
  for (const std::string& text : texts) {
    for (size_t budget = 0; budget <= 420; budget += budget < 230 ? 1 : 19) {
      CAPTURE(text.size(), budget);
      check_exact(text, trimmed(text, budget, 420), budget);
      check_exact(text, trimmed(text, budget, budget), budget);
    }
    const Trimmed small = trimmed(text, 200, 7500);
    CHECK(!small.text.empty());
    CHECK(json_cost(small.text) > 50);
  }
}

TEST_CASE("random texts: exact, within any budget, and whole when they fit") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    const size_t max_chars = dice.pick<size_t>({200, 300, 1000, 2000, 7500});
    const std::string text =
        bashcell::supervisor::clean_text(dice, dice.roll(400), dice.pick<size_t>({50, 2000, 20'000}));
    const size_t budget = dice.roll(3) == 0 ? max_chars : 200 + dice.roll(max_chars - 199);
    CAPTURE(seed, max_chars, budget);
    const Trimmed result = trimmed(text, budget, max_chars);
    check_exact(text, result, budget);
    // The same, however the text came.
    for (const size_t largest : {1U, 60U, 5000U}) {
      Trimmer pieced(max_chars);
      std::string_view rest = text;
      while (!rest.empty()) {
        const std::string_view piece = bashcell::base::utf8_prefix(rest, std::max<size_t>(4, dice.roll(largest + 1)));
        pieced.add(piece);
        rest.remove_prefix(piece.size());
      }
      const Trimmed again = std::move(pieced).finish(budget, budget);
      REQUIRE(again.text == result.text);
      REQUIRE(again.left_out_bytes == result.left_out_bytes);
      REQUIRE(again.left_out_lines == result.left_out_lines);
    }
    // And the same, whatever larger budget it was prepared for, when it is cut between lines or not at all.
    REQUIRE(trimmed(text, budget, max_chars + 1000).text == result.text);
  }
}
