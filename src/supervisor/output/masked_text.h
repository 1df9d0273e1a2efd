#pragma once
// Text, and a line in it, that are looked at many bytes at once: where words, fields and blanks begin and end.
//
// A "word" is letters and digits; a "field" is what stands between blanks.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "supervisor/output/byte_masks.h"

namespace bashcell::supervisor {

// Looks once at every byte, whatever lines they are in: short lines cost most by where they end.
class MaskedText {
 public:
  // The text must stay as it is until the next call.
  void look_at(std::string_view text) {
    text_ = text;
    blocks_.resize(text.size() / kMaskBytes + 2);  // one more, which is empty
    for (size_t i = 0; i < blocks_.size(); ++i) blocks_[i] = byte_masks(text, std::min(text.size(), i * kMaskBytes));
  }

  std::string_view text() const { return text_; }

  // Of the block that begins at a multiple of kMaskBytes: in the text, or at its end.
  const ByteMasks& block(size_t begin) const { return blocks_[begin / kMaskBytes]; }
  // Of kMaskBytes from `at` on.
  ByteMasks masks_from(size_t at) const {
    const ByteMasks& first = blocks_[at / kMaskBytes];
    const ByteMasks& second = blocks_[at / kMaskBytes + 1];
    const size_t shift = at % kMaskBytes;
    const auto from = [&](uint64_t a, uint64_t b) { return a >> shift | b << 1U << (kMaskBytes - 1 - shift); };
    return {from(first.letters, second.letters), from(first.digits, second.digits), from(first.blanks, second.blanks),
            from(first.slashes_and_tabs, second.slashes_and_tabs)};
  }

 private:
  std::string_view text_;
  std::vector<ByteMasks> blocks_;
};

// A line in it. Cheap as long as the places asked for go up from its beginning to its end.
class MaskedLine {
 public:
  MaskedLine(const MaskedText& text, size_t begin, size_t size)
      : whole_(text), whole_begin_(begin), line_(text.text().substr(begin, size)) {
    look_at_block(0);
  }

  std::string_view text() const { return line_; }
  // Bytes from its beginning to the end of the text that it is in.
  size_t readable() const { return whole_.text().size() - whole_begin_; }

  bool is_word_at(size_t at) { return (masks_at(at).words() >> at % kMaskBytes & 1U) != 0; }
  bool is_digit_at(size_t at) { return (masks_at(at).digits >> at % kMaskBytes & 1U) != 0; }
  bool is_blank_at(size_t at) { return (masks_at(at).blanks >> at % kMaskBytes & 1U) != 0; }

  // The first place from `at` on whose bit is set in what `of` makes of masks; the end of the line if there is none.
  template <typename Of>
  size_t find(size_t at, Of&& of) {
    while (at < line_.size()) {
      const uint64_t found = of(masks_at(at)) >> at % kMaskBytes;
      if (found != 0) return std::min(line_.size(), at + static_cast<size_t>(std::countr_zero(found)));
      at = block_ + kMaskBytes;
    }
    return line_.size();
  }

  size_t end_of_word(size_t at) {
    return find(at, [](const ByteMasks& masks) { return ~masks.words(); });
  }
  size_t end_of_field(size_t at) {
    return find(at, [](const ByteMasks& masks) { return masks.blanks; });
  }
  size_t end_of_blanks(size_t at) {
    return find(at, [](const ByteMasks& masks) { return ~masks.blanks; });
  }
  // 1,234.5 and 10:20:30 are one number, whatever its length. `at` is in a word that has digits.
  size_t end_of_number(size_t at) {
    for (;;) {
      at = end_of_word(at);
      if (at + 1 >= line_.size()) return at;
      const char c = line_[at];
      const bool joins = c == '.' || c == ',' || c == ':';
      if (!joins || !is_digit(line_[at - 1]) || !is_digit(line_[at + 1])) return at;
      ++at;
    }
  }

  size_t begin_of_word(size_t at) {
    return begin_of(at, masks_at(at).words(), [](char c) { return is_digit(c) || is_letter(c); });
  }
  size_t begin_of_field(size_t at) {
    return begin_of(at, ~masks_at(at).blanks, [](char c) { return !is_blank(c); });
  }

 private:
  static bool is_letter(char c) { return portable::is_letter(static_cast<unsigned char>(c)); }
  static bool is_digit(char c) { return portable::is_digit(static_cast<unsigned char>(c)); }
  static bool is_blank(char c) { return portable::is_blank(static_cast<unsigned char>(c)); }

  void look_at_block(size_t begin) {
    block_ = begin;
    masks_ = whole_.masks_from(whole_begin_ + begin);
    const size_t left = line_.size() - begin;
    const uint64_t line = left >= kMaskBytes ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
    masks_.letters &= line;
    masks_.digits &= line;
    masks_.blanks &= line;
    masks_.slashes_and_tabs &= line;
  }

  const ByteMasks& masks_at(size_t at) {
    if (at - block_ >= kMaskBytes) look_at_block(at - at % kMaskBytes);
    return masks_;
  }

  // How far it goes back from `at`: `inside` is the mask of it in the block, `is_inside` tells about bytes before.
  template <typename IsInside>
  size_t begin_of(size_t at, uint64_t inside, IsInside&& is_inside) const {
    const uint64_t before = ~inside & ((uint64_t{1} << at % kMaskBytes) - 1);
    if (before != 0) return block_ + kMaskBytes - static_cast<size_t>(std::countl_zero(before));
    size_t begin = block_;
    while (begin > 0 && is_inside(line_[begin - 1])) --begin;
    return begin;
  }

  const MaskedText& whole_;
  size_t whole_begin_;
  std::string_view line_;
  size_t block_ = 0;  // where what was looked at last begins
  ByteMasks masks_;
};

}  // namespace bashcell::supervisor
