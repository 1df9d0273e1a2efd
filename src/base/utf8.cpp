#include "base/utf8.h"

namespace bashcell::base {

Utf8Step utf8_step(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first, true, false};

  // Table 3-7: the second byte's range depends on the first; all others are 80..BF.
  size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  char32_t code_point = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
    code_point = first & 0x1FU;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    code_point = first & 0x0FU;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    code_point = first & 0x07U;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return {1, 0xFFFD, false, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, 0xFFFD, false, true};
    if (byte(i) < low || byte(i) > high) return {i, 0xFFFD, false, false};
    low = 0x80;
    high = 0xBF;
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  return {length, code_point, true, false};
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    clean += step.valid ? text.substr(0, step.length) : kReplacementCharacter;
    text.remove_prefix(step.length);
  }
  return clean;
}

std::string printable(std::string_view text, char instead) {
  std::string clean = replace_invalid_utf8(text);
  std::replace_if(
      clean.begin(), clean.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, instead);
  return clean;
}

std::string_view utf8_prefix(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return text.substr(0, end);
}

std::string_view utf8_characters(std::string_view text, int64_t max_characters) {
  size_t bytes = 0;
  for (int64_t count = 0; bytes < text.size() && count < max_characters; ++count) {
    bytes += utf8_step(text.substr(bytes)).length;
  }
  return text.substr(0, bytes);
}

}  // namespace bashcell::base
