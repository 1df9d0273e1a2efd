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
    {0, 10, 14, 3, 8, 40, 5, 37, 35},      // lower
    {14, 11, 11, 0, 0, 40, 13, 7, 13},     // upper
    {27, 23, 1, 15, 29, 30, 13, 0, 13},    // digit
    {13, 0, 38, 27, 21, 16, 15, 0, 25},    // blank
    {13, 0, 8, 1, 12, 0, 15, 30, 13},      // mark
    {17, 4, 20, 12, 25, 2, 11, 0, 18},     // newline
    {8, 18, 14, 0, 28, 2, 3, 16, 13},      // two bytes
    {16, 4, 0, 9, 16, 6, 22, 14, 40},      // three bytes
    {30, 13, 13, 18, 12, 16, 13, 40, 32},  // four bytes
}};
// Of an ASCII character that is the same as the one before: tokens hold long runs of these.
constexpr std::array<unsigned char, kKinds> kRepeated{3, 4, 2, 1, 1};
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
