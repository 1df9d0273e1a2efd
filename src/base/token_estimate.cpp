#include "base/token_estimate.h"

#include <array>

namespace bashcell::base {

namespace {

enum Kind : unsigned char { kLower, kUpper, kDigit, kBlank, kMark, kNewline, kTwoBytes, kThreeBytes, kFourBytes };
constexpr size_t kKinds = 9;
constexpr unsigned char kContinuation = 9;

constexpr std::array<unsigned char, 256> kKindOf = [] {
  std::array<unsigned char, 256> kinds{};
  for (size_t byte = 0; byte < kinds.size(); ++byte) {
    kinds[byte] = kMark;
    if (byte >= 'a' && byte <= 'z') kinds[byte] = kLower;
    if (byte >= 'A' && byte <= 'Z') kinds[byte] = kUpper;
    if (byte >= '0' && byte <= '9') kinds[byte] = kDigit;
    if (byte >= 0x80) kinds[byte] = kContinuation;
    if (byte >= 0xC0) kinds[byte] = kTwoBytes;
    if (byte >= 0xE0) kinds[byte] = kThreeBytes;
    if (byte >= 0xF0) kinds[byte] = kFourBytes;
  }
  kinds[' '] = kinds['\t'] = kBlank;
  kinds['\n'] = kNewline;
  return kinds;
}();

// In units, by the kind of the character before (row) and its own (column). bench/tokens/fit.mjs found them.
constexpr std::array<std::array<unsigned char, kKinds>, kKinds> kPrices{{
    {0, 18, 20, 11, 15, 40, 8, 37, 31},  // lower
    {7, 11, 11, 0, 0, 40, 13, 13, 13},   // upper
    {21, 22, 2, 14, 29, 30, 14, 0, 13},  // digit
    {3, 0, 38, 23, 19, 16, 16, 3, 22},   // blank
    {6, 0, 8, 0, 12, 0, 17, 29, 13},     // mark
    {7, 4, 18, 11, 22, 6, 16, 0, 17},    // newline
    {5, 16, 11, 4, 21, 15, 2, 16, 13},   // two bytes
    {11, 6, 1, 7, 17, 6, 17, 14, 40},    // three bytes
    {24, 6, 6, 17, 12, 16, 13, 40, 20},  // four bytes
}};
// Of an ASCII character that is the same as the one before: tokens hold long runs of these.
constexpr std::array<unsigned char, kKinds> kRepeated{3, 3, 2, 1, 0};
// Words up to this length are mostly one token; longer ones pay for each further letter.
constexpr uint32_t kUsualWord = 7;
constexpr unsigned char kFurtherLetter = 10;

}  // namespace

void TokenCounter::add(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const unsigned char kind = kKindOf[byte];
    if (kind == kContinuation) continue;
    word_ = kind > kUpper ? 0 : kind_ > kUpper ? 1 : word_ + 1;
    if (byte == last_) {
      units_ += kRepeated[kind];
    } else if (kind == kLower && kind_ == kLower && word_ > kUsualWord) {
      units_ += kFurtherLetter;
    } else {
      units_ += kPrices[kind_][kind];
    }
    kind_ = kind;
    last_ = kind < kNewline ? byte : 0;
  }
}

size_t token_estimate(std::string_view text) {
  TokenCounter counter;
  counter.add(text);
  return static_cast<size_t>((counter.units() + TokenCounter::kUnits - 1) / TokenCounter::kUnits);
}

}  // namespace bashcell::base
