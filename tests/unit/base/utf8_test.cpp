#include "base/utf8.h"

#include <catch2/catch.hpp>
#include <vector>

using bashcell::base::is_valid_utf8;
using bashcell::base::kReplacementCharacter;
using bashcell::base::replace_invalid_utf8;
using bashcell::base::utf8_prefix;
using bashcell::base::utf8_step;
using bashcell::base::Utf8Step;

namespace {

std::string encoded(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  const auto tail = [&](unsigned shift) { return byte(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0U | (c >> 6U)), tail(0)};
  if (c < 0x10000) return {byte(0xE0U | (c >> 12U)), tail(6), tail(0)};
  return {byte(0xF0U | (c >> 18U)), tail(12), tail(6), tail(0)};
}

// "R" for U+FFFD, to keep the tables readable.
std::string with_replacements(std::string text) {
  for (size_t at = 0; (at = text.find('R', at)) != std::string::npos;) text.replace(at, 1, kReplacementCharacter);
  return text;
}

}  // namespace

TEST_CASE("every scalar value is valid, and no surrogate is") {
  size_t wrong = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string text = encoded(c);
    const Utf8Step step = utf8_step(text);
    const bool surrogate = c >= 0xD800 && c <= 0xDFFF;
    if (step.valid == surrogate || (!surrogate && (step.length != text.size() || step.code_point != c))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("sequences of two bytes are valid exactly as table 3-7 says") {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const Utf8Step step = utf8_step(text);
      const bool continues = second >= 0x80 && second <= 0xBF;
      bool opens = false;  // a longer sequence may follow
      if (first == 0xE0) opens = second >= 0xA0 && second <= 0xBF;
      if ((first >= 0xE1 && first <= 0xEC) || first == 0xEE || first == 0xEF) opens = continues;
      if (first == 0xED) opens = second >= 0x80 && second <= 0x9F;
      if (first == 0xF0) opens = second >= 0x90 && second <= 0xBF;
      if (first >= 0xF1 && first <= 0xF3) opens = continues;
      if (first == 0xF4) opens = second >= 0x80 && second <= 0x8F;
      CAPTURE(first, second);
      REQUIRE(step.incomplete == opens);
      REQUIRE(step.valid == (first < 0x80 || (first >= 0xC2 && first <= 0xDF && continues)));
    }
  }
}

TEST_CASE("invalid text is replaced once per maximal subpart, as in the Unicode Standard's tables 3-8 to 3-11") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "RRRRRRRR\x41"},
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "RRRRRRRR\x41"},
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "RRRRR\x41RR\x42"},
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "RRRR\x41"},
      {"\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64", "aRRRbRcRRd"},
      {"", ""},
      {"caf\xc3\xa9", "caf\xc3\xa9"},
      {"\xF0\x9F\x98", "R"},
      {"x\xC3", "xR"}};
  for (const auto& [text, replaced] : rows) {
    CAPTURE(text);
    CHECK(replace_invalid_utf8(text) == with_replacements(replaced));
    CHECK(is_valid_utf8(text) == (text == with_replacements(replaced)));
    CHECK(is_valid_utf8(replace_invalid_utf8(text)));
  }
}

TEST_CASE("a prefix never ends inside a character") {
  const std::string text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
  const std::vector<size_t> ends{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};
  for (size_t limit = 0; limit < ends.size(); ++limit) {
    CAPTURE(limit);
    CHECK(utf8_prefix(text, limit) == text.substr(0, ends[limit]));
  }
  CHECK(utf8_prefix("", 5).empty());
}

TEST_CASE("characters are counted, and what a message shows has no control bytes") {
  CHECK(bashcell::base::utf8_length("") == 0);
  CHECK(bashcell::base::utf8_length("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z") == 5);
  CHECK(bashcell::base::printable("a\n\x1b[1mb\x7f") == "a  [1mb ");
  CHECK(bashcell::base::printable("caf\xc3\xa9\x01", '?') == "caf\xc3\xa9?");
  CHECK(bashcell::base::printable("x\xff") == "x" + std::string(kReplacementCharacter));
}
