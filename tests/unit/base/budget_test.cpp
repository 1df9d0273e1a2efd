#include "base/budget.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "../supervisor/output_samples.h"
#include "base/utf8.h"

using namespace bashcell::base;

namespace {

// Counted on what nlohmann really writes.
size_t dumped_cost(const std::string& text) {
  const std::string dumped = nlohmann::json(text).dump();
  std::string_view inner = std::string_view(dumped).substr(1, dumped.size() - 2);
  size_t units = 0;
  while (!inner.empty()) {
    const bashcell::base::Utf8Step step = bashcell::base::utf8_step(inner);
    units += step.code_point > 0xFFFF ? 2 : 1;
    inner.remove_prefix(step.length);
  }
  return units;
}

}  // namespace

TEST_CASE("the cost of every ASCII character is what the JSON writer makes of it") {
  for (char c = 0;; ++c) {
    const std::string text(1, c);
    CAPTURE(static_cast<int>(c));
    CHECK(json_cost(text) == dumped_cost(text));
    if (c == 127) break;
  }
}

TEST_CASE("a cost is the sum of its characters', wherever they stand") {
  bashcell::supervisor::Dice dice(1);
  const std::vector<std::string> characters{"a",    "\"", "\\",       "\n",           "\t",
                                            "\x01", "\v", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    size_t cost = 0;
    for (size_t i = dice.roll(90); i > 0; --i) {
      const std::string& character = dice.roll(2) == 0 ? characters.front() : dice.pick(characters);
      text += character;
      cost += json_cost(character);
    }
    CAPTURE(text);
    REQUIRE(json_cost(text) == cost);
  }
}

TEST_CASE("the cost of characters beyond ASCII is their UTF-16 length") {
  CHECK(json_cost("") == 0);
  CHECK(json_cost("\xc2\xa0") == 1);
  CHECK(json_cost("\xef\xbf\xbd") == 1);
  CHECK(json_cost("\xf0\x90\x80\x80") == 2);
  CHECK(json_cost("\xf4\x8f\xbf\xbf") == 2);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    bashcell::supervisor::Dice dice(seed);
    const std::string text = bashcell::supervisor::clean_text(dice, 20, 200);
    CHECK(json_cost(text) == dumped_cost(text));
  }
}

TEST_CASE("by characters prefix and suffix are the longest whole characters within the cost") {
  const std::string text = "a\"\xc3\xa9\xf0\x9f\x98\x80\nz";  // costs 1 2 1 2 2 1
  const std::vector<std::string> characters{"a", "\"", "\xc3\xa9", "\xf0\x9f\x98\x80", "\n", "z"};
  const Meter meter(Budget{100, kAnyTokens});
  for (size_t limit = 0; limit <= 10; ++limit) {
    std::string prefix;
    for (const std::string& c : characters) {
      if (json_cost(prefix + c) > limit) break;
      prefix += c;
    }
    std::string suffix;
    for (auto c = characters.rbegin(); c != characters.rend() && json_cost(*c + suffix) <= limit; ++c)
      suffix = *c + suffix;
    CAPTURE(limit);
    CHECK(meter.prefix(text, limit) == prefix);
    CHECK(meter.suffix(text, limit) == suffix);
  }
}

TEST_CASE("the token estimate is near what o200k_base counts, and rarely below") {
  struct Sample {
    std::string text;
    size_t tokens;  // counted by gpt-tokenizer
  };
  const std::vector<Sample> samples{
      {"The quick brown fox jumps over the lazy dog.", 10},
      {"2026-11-30T03:36:28.123Z INFO [worker-7] request handled id=7f3a9c0d12 took 12.345 ms", 40},
      {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", 20},
      {"error: no matching function for call to 'foo(int, const std::string&)'", 18},
      {"-rw-r--r-- 1 root root  4096 Nov 30 03:36 README.md", 23},
      {"{\"id\": 17, \"name\": \"alpha\", \"tags\": [\"a\", \"b\"], \"score\": 0.123456}", 30},
      {"b586343afd6e3c42a9d1f00c7e55aa01", 21},
      {"aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=", 22},
      {"Größe überprüfen: Die Datei wurde nicht gefunden.", 10},
      {"ファイルが見つかりません", 8},
      {"файл не найден", 4},
      {"=========================== FAILURES ===========================", 6},
      {"getElementByIdAndClassName(HTTPServerError)", 12},
      {"1,Berlin,12.50,2026-01-02,true", 16},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.text);
    CHECK(token_estimate(sample.text) >= sample.tokens * 9 / 10);
    CHECK(token_estimate(sample.text) <= sample.tokens * 2 + 3);
  }
}

TEST_CASE("tokens are the same however the text is cut, and lines cost together what they cost apart") {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    bashcell::supervisor::Dice dice(seed);
    const std::string text = bashcell::supervisor::clean_text(dice, 20, 200);
    TokenCounter whole;
    whole.add(text);
    TokenCounter bytes;
    for (const char& c : text) bytes.add({&c, 1});
    CHECK(bytes.units() == whole.units());
    uint64_t lines = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1);
      TokenCounter line;
      line.add(std::string_view(text).substr(at, end + 1 - at));
      lines += line.units();
      at = end + 1;
    }
    CHECK(lines == whole.units());
  }
}

TEST_CASE("a meter counts by what a text takes more of") {
  const Meter meter(Budget{.chars = 1000, .tokens = 100});
  CHECK(meter.cost(std::string(1000, '=')) == 1000);
  CHECK(meter.cost("7f3a9c0d") > 40);
  CHECK(meter.cost(Budget{.chars = 10, .tokens = 50}) == 500);
  CHECK(meter.cost(Budget{.chars = 10, .tokens = 0}) == 10);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    bashcell::supervisor::Dice dice(seed);
    const std::string text = bashcell::supervisor::clean_text(dice, 20, 200);
    const size_t limit = dice.roll(300);
    for (const std::string_view part : {meter.prefix(text, limit), meter.suffix(text, limit)}) {
      CHECK(meter.cost(part) <= limit);
      CHECK(is_valid_utf8(part));
      CHECK((part.size() == text.size() || meter.cost(part) + 40 > limit));
    }
  }
}

TEST_CASE("a text of any length costs in characters what its characters cost one by one") {
  bashcell::supervisor::Dice dice(4);
  for (int round = 0; round < 300; ++round) {
    const std::string text = bashcell::supervisor::clean_text(dice, dice.roll(12), 300);
    size_t cost = 0;
    int64_t length = 0;
    for (std::string_view rest = text; !rest.empty(); ++length) {
      const std::string_view character = rest.substr(0, utf8_step(rest).length);
      cost += json_cost(character);
      rest.remove_prefix(character.size());
    }
    REQUIRE(json_cost(text) == cost);
    REQUIRE(utf8_length(text) == length);
  }
}
