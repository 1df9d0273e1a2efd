#pragma once
// Looks at many bytes at once, where looking at one after the other costs more than all the rest.
//
// `portable` is the same without vector instructions: what other machines use, and what the tests compare with.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/wide_bytes.h"

namespace bashcell::supervisor {

inline constexpr size_t kMaskBytes = 64;

// Bit i is set when byte i is one. Bytes from 0x80 on, the parts of characters that are not ASCII, count as letters.
struct ByteMasks {
  uint64_t letters = 0;
  uint64_t digits = 0;
  uint64_t blanks = 0;  // blank or tab
  uint64_t slashes_and_tabs = 0;

  uint64_t words() const { return letters | digits; }
  bool operator==(const ByteMasks&) const = default;
};

namespace portable {

constexpr bool is_letter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80; }
constexpr bool is_digit(unsigned char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(unsigned char c) { return c == ' ' || c == '\t'; }

// Of text.substr(begin, kMaskBytes).
inline ByteMasks byte_masks(std::string_view text, size_t begin) {
  ByteMasks masks;
  text = text.substr(begin, kMaskBytes);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    masks.letters |= static_cast<uint64_t>(is_letter(c)) << i;
    masks.digits |= static_cast<uint64_t>(is_digit(c)) << i;
    masks.blanks |= static_cast<uint64_t>(is_blank(c)) << i;
    masks.slashes_and_tabs |= static_cast<uint64_t>(c == '/' || c == '\t') << i;
  }
  return masks;
}

// Bit i is set when byte i of text.substr(begin, kMaskBytes) is a newline.
inline uint64_t newline_mask(std::string_view text, size_t begin) {
  uint64_t newlines = 0;
  text = text.substr(begin, kMaskBytes);
  for (size_t i = 0; i < text.size(); ++i) newlines |= static_cast<uint64_t>(text[i] == '\n') << i;
  return newlines;
}

}  // namespace portable

#ifdef __SSE2__

namespace wide {

using base::wide::kBytes;
using base::wide::load;
using base::wide::load_less;

inline __m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }
// Bytes are compared as signed: those from 0x80 on are below everything else.
inline __m128i between(__m128i bytes, char first, char last) {
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                       _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1))));
}
inline uint64_t bits(__m128i bytes) { return static_cast<uint64_t>(_mm_movemask_epi8(bytes)); }

inline ByteMasks byte_masks(__m128i bytes) {
  const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i tabs = equal(bytes, '\t');
  return {bits(_mm_or_si128(between(lower, 'a', 'z'), bytes)), bits(between(bytes, '0', '9')),
          bits(_mm_or_si128(equal(bytes, ' '), tabs)), bits(_mm_or_si128(equal(bytes, '/'), tabs))};
}

}  // namespace wide

inline ByteMasks byte_masks(std::string_view text, size_t begin) {
  ByteMasks masks;
  const auto add = [&](const ByteMasks& more, size_t at) {
    masks.letters |= more.letters << at;
    masks.digits |= more.digits << at;
    masks.blanks |= more.blanks << at;
    masks.slashes_and_tabs |= more.slashes_and_tabs << at;
  };
  const size_t size = std::min(text.size() - begin, kMaskBytes);
  if (size == kMaskBytes) {
    for (size_t i = 0; i < kMaskBytes; i += wide::kBytes) add(wide::byte_masks(wide::load(text.data() + begin + i)), i);
    return masks;
  }
  size_t at = 0;
  for (; at + wide::kBytes <= size; at += wide::kBytes) add(wide::byte_masks(wide::load(text.data() + begin + at)), at);
  if (at == size) return masks;
  // Never past the end of the text: what is left is read with what comes before it, or from a copy.
  if (begin + size >= wide::kBytes) {
    ByteMasks last = wide::byte_masks(wide::load(text.data() + begin + size - wide::kBytes));
    const size_t known = wide::kBytes - (size - at);
    last.letters >>= known;
    last.digits >>= known;
    last.blanks >>= known;
    last.slashes_and_tabs >>= known;
    add(last, at);
  } else {
    add(wide::byte_masks(wide::load_less(text.data() + begin, size)), 0);
  }
  return masks;
}

inline uint64_t newline_mask(std::string_view text, size_t begin) {
  if (text.size() - begin < kMaskBytes) return portable::newline_mask(text, begin);
  uint64_t newlines = 0;
  for (size_t i = 0; i < kMaskBytes; i += wide::kBytes) {
    newlines |= wide::bits(wide::equal(wide::load(text.data() + begin + i), '\n')) << i;
  }
  return newlines;
}

#else

using portable::byte_masks;
using portable::newline_mask;

#endif

}  // namespace bashcell::supervisor
