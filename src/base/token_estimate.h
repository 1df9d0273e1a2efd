#pragma once
// How many tokens a model reads in a text: an estimate, without a tokenizer's vocabulary of megabytes.
//
// Each character costs by its kind and the kind of the one before it (a word after a blank costs less than one inside
// camelCase, a digit after a digit less than one after a letter). The prices are fitted to o200k_base and then raised
// by 15 %: over 48 kinds of text (logs, sources, listings, JSON, hex, prose in eight languages) the real count of 6 KB
// was 0.75 to 0.92 of the estimate on average, and 1.04 of it at most (bench/tokens/fit.mjs). Random letters cost more
// than words of the same length do.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bashcell::base {

// Counts text that comes in pieces, cut anywhere between two bytes. Every line begins anew: lines can be counted apart.
class TokenCounter {
 public:
  static constexpr uint64_t kUnits = 16;  // in one token

  void add(std::string_view text);
  uint64_t units() const { return units_; }

 private:
  uint64_t units_ = 0;
  unsigned char kind_ = 5;  // of the last character; at first that of a newline
  unsigned char last_ = 0;  // itself, where a repetition costs less
  uint32_t word_ = 0;       // letters since the word began
};

// Rounded up.
size_t token_estimate(std::string_view text);

}  // namespace bashcell::base
