#include "supervisor/output/trim.h"

#include <catch2/catch.hpp>

#include "output_samples.h"
#include "trim_checks.h"

using namespace bashcell::supervisor;

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
  const size_t head = bashcell::base::json_cost(result.text.substr(0, gap));
  const size_t tail = bashcell::base::json_cost(result.text.substr(result.text.find('\n', gap + 1)));
  CHECK(head > 2100);
  CHECK(head <= 2300);
  CHECK(tail > 5000);
  CHECK(bashcell::base::json_cost(result.text) > 7400);
}

TEST_CASE("the marks read as documented") {
  CHECK(trimmed(words(1, 2000), 200).text ==
        words(1, 14) + "[... 1,969 lines, 8.8 KB left out ...]\n" + words(1984, 1999) + "caaa");
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
  CHECK(bashcell::base::json_cost(result.text) > 7490);
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
  Trimmer whole(chars_only(1000));
  whole.add(fits);
  CHECK(std::move(whole).finish(1000, 800).text == fits);
  Trimmer cut(chars_only(1000));
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
    CHECK(bashcell::base::json_cost(small.text) > 50);
  }
}

TEST_CASE("random texts: exact, within any budget, and whole when they fit") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    const size_t max_chars = dice.pick<size_t>({200, 300, 1000, 2000, 7500});
    const std::string text =
        bashcell::supervisor::clean_text(dice, dice.roll(400), dice.pick<size_t>({50, 2000, 20'000}));
    const size_t budget = dice.roll(3) == 0 ? max_chars : 200 + dice.roll(max_chars - 199);
    const size_t max_tokens = dice.pick<size_t>({bashcell::base::kAnyTokens, max_chars / 4, max_chars / 2});
    const bashcell::base::Meter meter(bashcell::base::Budget{max_chars, max_tokens});
    CAPTURE(seed, max_chars, max_tokens, budget);
    const Trimmed result = trimmed(text, budget, meter);
    check_exact(text, result, budget, meter);
    // The same, however the text came.
    for (const size_t largest : {1U, 60U, 5000U}) {
      Trimmer pieced(meter);
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
  }
}
