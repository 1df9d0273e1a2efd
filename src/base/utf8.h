#pragma once
// UTF-8 as the Unicode Standard defines it (section 3.9, table 3-7): no overlong forms, no surrogates, nothing above
// U+10FFFF. Invalid input is replaced by U+FFFD once per maximal subpart, as browsers do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bashcell::base {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

struct Utf8Step {
  size_t length = 0;        // bytes to consume, at least 1 unless `incomplete`
  char32_t code_point = 0;  // U+FFFD when not valid
  bool valid = false;
  bool incomplete = false;  // the text ends inside a sequence that may still become valid; length is what is there
};

// A byte that is not the first of its character.
constexpr bool is_utf8_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// How many characters are in valid text. Inline: whole floods of output are counted.
inline int64_t utf8_length(std::string_view text) {
  constexpr size_t kBlock = 128;  // a count that fits a byte: so compilers count in many bytes at once
  int64_t length = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    uint8_t count = 0;
    for (size_t i = 0; i < kBlock; ++i) count = static_cast<uint8_t>(count + (is_utf8_continuation(text[i]) ? 0 : 1));
    length += count;
  }
  for (const char byte : text) length += is_utf8_continuation(byte) ? 0 : 1;
  return length;
}

// Looks at the first sequence of a non-empty text.
Utf8Step utf8_step(std::string_view text);

bool is_valid_utf8(std::string_view text);
// Valid text comes back unchanged.
std::string replace_invalid_utf8(std::string_view text);
// Valid text without control bytes, for a message: each of them becomes `instead`.
std::string printable(std::string_view text, char instead = ' ');
// At most `max_bytes` bytes of valid text, never ending inside a character.
std::string_view utf8_prefix(std::string_view text, size_t max_bytes);
// At most the first `max_characters` characters.
std::string_view utf8_characters(std::string_view text, int64_t max_characters);

}  // namespace bashcell::base
