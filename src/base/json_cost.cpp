#include "base/json_cost.h"

#include <array>

namespace bashcell::base {

namespace {

// By byte: the first byte of a character carries its cost, the others nothing.
constexpr std::array<unsigned char, 256> kCosts = [] {
  std::array<unsigned char, 256> costs{};
  for (size_t byte = 0; byte < costs.size(); ++byte) {
    costs[byte] = 1;
    if (byte < 0x20) costs[byte] = 6;
    if (byte >= 0x80 && byte < 0xC0) costs[byte] = 0;
    if (byte >= 0xF0) costs[byte] = 2;
  }
  for (const char c : {'"', '\\', '\b', '\f', '\n', '\r', '\t'}) costs[static_cast<unsigned char>(c)] = 2;
  return costs;
}();

}  // namespace

size_t json_cost(std::string_view text) {
  size_t cost = 0;
  for (const char byte : text) cost += kCosts[static_cast<unsigned char>(byte)];
  return cost;
}

}  // namespace bashcell::base
