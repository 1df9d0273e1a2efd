#include "supervisor/output/json_cost.h"

#include <array>

#include "base/utf8.h"

namespace bashcell::supervisor {

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

size_t cost_of(char byte) { return kCosts[static_cast<unsigned char>(byte)]; }

}  // namespace

size_t json_cost(std::string_view text) {
  size_t cost = 0;
  for (const char byte : text) cost += cost_of(byte);
  return cost;
}

std::string_view json_prefix(std::string_view text, size_t max_cost) {
  size_t cost = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    cost += cost_of(text[at]);
    if (cost > max_cost) return text.substr(0, at);
  }
  return text;
}

std::string_view json_suffix(std::string_view text, size_t max_cost) {
  size_t cost = 0;
  size_t begin = text.size();
  for (size_t at = text.size(); at > 0; --at) {
    cost += cost_of(text[at - 1]);
    if (cost > max_cost) break;
    if (!base::is_utf8_continuation(text[at - 1])) begin = at - 1;
  }
  return text.substr(begin);
}

}  // namespace bashcell::supervisor
