#include "supervisor/output/rarity.h"

#include <algorithm>
#include <limits>

#include "supervisor/output/byte_masks.h"

namespace bashcell::supervisor {

namespace {

enum class Kind : uint8_t { kOther, kLetter, kDigit, kBlank };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (size_t byte = 0; byte < kinds.size(); ++byte) {
    const auto c = static_cast<unsigned char>(byte);
    if (portable::is_letter(c)) kinds[byte] = Kind::kLetter;
    if (portable::is_digit(c)) kinds[byte] = Kind::kDigit;
    if (portable::is_blank(c)) kinds[byte] = Kind::kBlank;
  }
  return kinds;
}();

constexpr uint32_t kPrime = 0x01000193;  // of FNV-1a, 32 bits
constexpr uint32_t kBasis = 0x811c9dc5;

Kind kind_at(std::string_view line, size_t at) {
  return at < line.size() ? kKinds[static_cast<unsigned char>(line[at])] : Kind::kBlank;
}

// What joins letters to a name: a path, an identifier, an address, a word with digits in it.
bool joins(std::string_view line, size_t at) {
  if (at >= line.size()) return false;
  const char c = line[at];
  return c == '/' || c == '_' || c == '\\' || c == '@' || kind_at(line, at) == Kind::kDigit;
}

// A dot or a dash joins what stands on both sides of it.
bool joins_further(std::string_view line, size_t at, size_t beyond) {
  if (at >= line.size() || (line[at] != '.' && line[at] != '-')) return false;
  const Kind kind = kind_at(line, beyond);
  return kind == Kind::kLetter || kind == Kind::kDigit;
}

// The kinds of the first few things in the line, whatever they are.
uint32_t opening_of(std::string_view line) {
  constexpr size_t kThings = 7;
  uint32_t hash = kBasis;
  size_t things = 0;
  Kind last = Kind::kOther;
  for (size_t at = 0; at < line.size() && things < kThings; ++at) {
    const Kind kind = kind_at(line, at);
    if (kind != Kind::kOther && kind == last && at > 0) continue;
    last = kind;
    ++things;
    const uint32_t what =
        kind == Kind::kOther ? static_cast<unsigned char>(line[at]) : static_cast<uint32_t>(kind) << 8U;
    hash = (hash ^ what) * kPrime;
  }
  return hash;
}

}  // namespace

void Rarity::Counts::add(uint32_t hash) {
  for (const size_t slot : {hash % slots_.size(), second(hash)}) {
    if (slots_[slot] < std::numeric_limits<uint8_t>::max()) ++slots_[slot];
  }
}

int Rarity::Counts::count(uint32_t hash) const { return std::min(slots_[hash % slots_.size()], slots_[second(hash)]); }

Rarity::Traits Rarity::add(std::string_view line) {
  Traits traits;
  traits.opening = opening_of(line);
  openings_.add(traits.opening);
  for (size_t at = 0; at < line.size() && traits.count < Traits::kMostWords;) {
    if (kind_at(line, at) != Kind::kLetter) {
      ++at;
      continue;
    }
    const size_t begin = at;
    uint32_t hash = kBasis;
    for (; kind_at(line, at) == Kind::kLetter; ++at)
      hash = (hash ^ (static_cast<unsigned char>(line[at]) | 0x20U)) * kPrime;
    if (at - begin < 2 || joins(line, at) || joins_further(line, at, at + 1)) continue;
    if (begin > 0 && (joins(line, begin - 1) || (begin > 1 && joins_further(line, begin - 1, begin - 2)))) continue;
    traits.words[traits.count++] = hash;
    words_.add(hash);
  }
  return traits;
}

int Rarity::score(const Traits& traits) const {
  constexpr int kOnce = 2;  // what is said twice may still be one event
  constexpr int kForAnOpening = 3;
  int score = openings_.count(traits.opening) <= kOnce ? kForAnOpening : 0;
  for (size_t i = 0; i < traits.count; ++i) {
    if (words_.count(traits.words[i]) <= kOnce) score += 2;
  }
  return score;
}

}  // namespace bashcell::supervisor
