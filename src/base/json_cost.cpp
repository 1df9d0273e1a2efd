#include "base/json_cost.h"

#include <array>
#include <cstdint>

#include "base/wide_bytes.h"

namespace bashcell::base {

// The first byte of a character carries its cost, the others nothing. Without branches and tables: whole floods of
// output are counted, and most of their lines are short.

#ifdef __SSE2__

namespace {

// Bytes are compared as signed: those from 0x80 on are below everything else. What is found is -1.
__m128i costs_of(__m128i bytes) {
  const auto all = [](int value) { return _mm_set1_epi8(static_cast<char>(value)); };
  const __m128i negative = _mm_cmplt_epi8(bytes, all(0));
  const __m128i control = _mm_andnot_si128(negative, _mm_cmplt_epi8(bytes, all(0x20)));
  const __m128i back_to_return = _mm_and_si128(_mm_cmpgt_epi8(bytes, all(0x07)), _mm_cmplt_epi8(bytes, all(0x0E)));
  const __m128i short_escape = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, all(0x0B)), back_to_return);
  const __m128i quoted = _mm_or_si128(_mm_cmpeq_epi8(bytes, all('"')), _mm_cmpeq_epi8(bytes, all('\\')));
  const __m128i later_byte = _mm_cmplt_epi8(bytes, all(-0x40));
  const __m128i surrogates = _mm_and_si128(negative, _mm_cmpgt_epi8(bytes, all(-0x11)));
  const __m128i one = _mm_sub_epi8(_mm_add_epi8(all(1), later_byte), _mm_or_si128(quoted, surrogates));
  return _mm_add_epi8(one, _mm_sub_epi8(_mm_and_si128(control, all(5)), _mm_and_si128(short_escape, all(4))));
}

__m128i sum_of(__m128i costs) { return _mm_sad_epu8(costs, _mm_setzero_si128()); }

// Of as many bytes at the end as are set.
constexpr auto kEnds = [] {
  std::array<char, 2 * wide::kBytes> ends{};
  for (size_t i = wide::kBytes; i < ends.size(); ++i) ends[i] = -1;
  return ends;
}();

}  // namespace

size_t json_cost(std::string_view text) {
  __m128i sum = _mm_setzero_si128();
  size_t at = 0;
  for (; at + wide::kBytes <= text.size(); at += wide::kBytes) {
    sum = _mm_add_epi64(sum, sum_of(costs_of(wide::load(text.data() + at))));
  }
  size_t cost = 0;
  const size_t left = text.size() - at;
  if (text.size() >= wide::kBytes) {
    const __m128i last = costs_of(wide::load(text.data() + text.size() - wide::kBytes));
    sum = _mm_add_epi64(sum, sum_of(_mm_and_si128(last, wide::load(kEnds.data() + left))));
  } else {
    constexpr size_t kOfNul = 6;
    sum = sum_of(costs_of(wide::load_less(text.data(), left)));
    cost -= kOfNul * (wide::kBytes - left);
  }
  const __m128i both = _mm_add_epi64(sum, _mm_unpackhi_epi64(sum, sum));
  return cost + static_cast<size_t>(_mm_cvtsi128_si64(both));
}

#else

namespace {

uint8_t cost_of(char c) {
  const auto byte = static_cast<uint8_t>(c);
  const bool control = byte < 0x20;
  const bool short_escape = (byte >= 0x08) & (byte <= 0x0D) & (byte != 0x0B);
  const bool quoted = (byte == '"') | (byte == '\\');
  const bool later_byte = (byte & 0xC0U) == 0x80;
  const bool surrogates = byte >= 0xF0;
  return static_cast<uint8_t>(1 + 5 * control - 4 * short_escape + quoted - later_byte + surrogates);
}

}  // namespace

size_t json_cost(std::string_view text) {
  size_t cost = 0;
  for (const char c : text) cost += cost_of(c);
  return cost;
}

#endif

}  // namespace bashcell::base
