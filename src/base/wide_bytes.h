#pragma once
// Reads many bytes of a text as one number or vector, and never a byte beyond it.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace bashcell::base {

// The first byte is the lowest one.
inline uint64_t load8(const char* at) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// So many bytes, and zeros. Without a loop: this is for the odd ends of short texts.
inline uint64_t load_up_to_8(const char* at, size_t count) {
  const auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i); };
  if (count == 8) return load8(at);
  if (count < 4) return count == 0 ? 0 : byte(0) | byte(count / 2) | byte(count - 1);
  uint32_t first = 0;
  uint32_t last = 0;
  std::memcpy(&first, at, sizeof first);
  std::memcpy(&last, at + count - sizeof last, sizeof last);
  return first | static_cast<uint64_t>(last) << (8 * (count - sizeof last));
}

#ifdef __SSE2__

namespace wide {

inline constexpr size_t kBytes = sizeof(__m128i);

inline __m128i load(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

// Fewer than kBytes, and zeros.
inline __m128i load_less(const char* at, size_t count) {
  const uint64_t low = load_up_to_8(at, std::min<size_t>(count, 8));
  const uint64_t high = count > 8 ? load8(at + count - 8) >> (8 * (kBytes - count)) : 0;
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}

}  // namespace wide

#endif

}  // namespace bashcell::base
