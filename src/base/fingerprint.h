#pragma once
// A short name for a long text: FNV-1a, 64 bits. Not against people: only equal texts are told from different ones.

#include <cstdint>
#include <string_view>

namespace bashcell::base {

constexpr uint64_t fingerprint(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace bashcell::base
