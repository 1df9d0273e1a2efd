#include "base/json_cost.h"

#include <cstdint>

namespace bashcell::base {

namespace {

// The first byte of a character carries its cost, the others nothing. Without branches and tables, so that compilers
// can look at many bytes at once: whole floods of output are counted.
constexpr uint8_t cost_of(char c) {
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
  constexpr size_t kBlock = 32;  // costs less than 256 in all
  const char* at = text.data();
  const char* const end = at + text.size();
  size_t cost = 0;
  for (; at + kBlock <= end; at += kBlock) {
    uint8_t block = 0;
    for (size_t i = 0; i < kBlock; ++i) block = static_cast<uint8_t>(block + cost_of(at[i]));
    cost += block;
  }
  for (; at < end; ++at) cost += cost_of(*at);
  return cost;
}

}  // namespace bashcell::base
