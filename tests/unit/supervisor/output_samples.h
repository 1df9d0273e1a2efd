#pragma once
// Seeded inputs for the tests of src/supervisor/output, and the ways to feed them.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace bashcell::supervisor {

// A budget that counts characters only.
inline base::Meter chars_only(size_t max_chars) { return base::Budget{max_chars, base::kAnyTokens}; }

// The same numbers on every machine: std distributions are not, so only the engine is used.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  // 0 to sides - 1.
  size_t roll(size_t sides) { return engine_() % sides; }
  template <typename T>
  const T& pick(const std::vector<T>& choices) {
    return choices[roll(choices.size())];
  }

 private:
  std::mt19937 engine_;
};

// Everything that a cleaner has a rule for, in any order.
inline std::string messy_bytes(Dice& dice, size_t fragments, const std::string& hidden_prefix = "") {
  static const std::vector<std::string> kFragments{"a",
                                                   "word ",
                                                   "longer text of no interest, ",
                                                   "\n",
                                                   "\n",
                                                   "\r\n",
                                                   "\r",
                                                   "\b",
                                                   "\t",
                                                   std::string(1, '\0'),
                                                   "\x7f",
                                                   "\x1b[31m",
                                                   "\x1b[K",
                                                   "\x1b[1K",
                                                   "\x1b[2K",
                                                   "\x1b[1G",
                                                   "\x1b[?25l",
                                                   "\x1b[38;5;1m",
                                                   "\x1b[",
                                                   "\x1b",
                                                   "\x1b]0;title\a",
                                                   "\x1b]8;;http://x\x1b\\",
                                                   "\x1bP+q",
                                                   "\x1b\\",
                                                   "\x1b(B",
                                                   "\xc2\x9b"
                                                   "1m",
                                                   "\xc2\x9d"
                                                   "x\xc2\x9c",
                                                   "\xc2\x85",
                                                   "\x18",
                                                   "\xc3\xa9",
                                                   "\xe2\x82\xac",
                                                   "\xf0\x9f\x98\x80",
                                                   "\xf0\x9f",
                                                   "\xe2",
                                                   "\xff",
                                                   "\xed\xa0\x80",
                                                   "\x80",
                                                   "[cell: exit 0]",
                                                   "[",
                                                   "[cell",
                                                   "\"",
                                                   "\\",
                                                   "0123456789abcdef",
                                                   "\x07",
                                                   "\xe2\x9c\x93"};
  std::string bytes;
  for (size_t i = 0; i < fragments; ++i) {
    const size_t n = dice.roll(kFragments.size() + 3);
    if (n < kFragments.size()) {
      bytes += kFragments[n];
    } else if (n == kFragments.size()) {
      bytes += static_cast<char>(dice.roll(256));
    } else if (n == kFragments.size() + 1) {
      bytes += std::string(dice.roll(dice.roll(20) == 0 ? 6000 : 40), 'x');
    } else {
      bytes += hidden_prefix.substr(0, dice.roll(2) == 0 ? std::string::npos : dice.roll(hidden_prefix.size() + 1));
    }
  }
  return bytes;
}

// Lines of all lengths and characters of all widths, as a cleaner gives them.
inline std::string clean_text(Dice& dice, size_t lines, size_t longest) {
  static const std::vector<std::string> kCharacters{
      "a", "b", "z", " ", "7", "\t", "\"", "\\", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  std::string text;
  for (size_t i = 0; i < lines; ++i) {
    const std::string& filler = dice.pick(kCharacters);
    const size_t length = dice.roll(8) == 0 ? dice.roll(longest + 1) : dice.roll(30);
    for (size_t n = 0; n < length; ++n) text += dice.roll(4) == 0 ? dice.pick(kCharacters) : filler;
    if (i + 1 < lines || dice.roll(2) == 0) text += '\n';
  }
  return text;
}

// Calls `take` with consecutive pieces of 0 to `largest` bytes.
template <typename Take>
void in_pieces(std::string_view bytes, Dice& dice, size_t largest, Take take) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, dice.roll(largest + 1));
    take(piece);
    bytes.remove_prefix(piece.size());
  }
}

}  // namespace bashcell::supervisor
