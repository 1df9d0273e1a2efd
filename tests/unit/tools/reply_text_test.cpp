#include "tools/reply_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

using namespace bashcell::base;
using namespace bashcell::tools;

TEST_CASE("well-behaved output passes unchanged") {
  for (const char* text : {"a", "a\nb\tc", "é😀中", " [cell: x]", "x [cell: y]"})
    CHECK(reply_text(text, "", Budget{}) == text);
}

TEST_CASE("whatever the bytes, the text is valid, clean and within the budget") {
  std::string bytes;
  for (int round = 0; round < 3; ++round) {
    for (int b = 0; b < 256; ++b) bytes += static_cast<char>((b * 7 + round) % 256);
  }
  for (size_t max = 20; max < 400; max += 7) {
    const std::string text = reply_text(bytes, "[cell: exit 1]", Budget{max, kAnyTokens});
    CHECK(bashcell::base::is_valid_utf8(text));
    CHECK(json_cost(text) <= max);
    for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t'));
    CHECK(text.ends_with("[cell: exit 1]"));
  }
}

TEST_CASE("a reply that costs too many tokens is cut, and its status stays") {
  std::string hex;
  for (int i = 0; i < 2000; ++i) hex += "0123456789abcdef"[i * 7 % 16];
  const std::string text = reply_text(hex, "[cell: exit 1]", Budget{7500, 300});
  CHECK(token_estimate(text) <= 300);
  CHECK(text.size() > 200);
  CHECK(text.ends_with("\n[cell: exit 1]"));
}

TEST_CASE("a status clause stays on its line") {
  CHECK(one_line("a\nb\tc\x01", 100) == "a b c");
  CHECK(one_line("abcdefgh", 6) == "abc...");
}
