#pragma once
// What a reply may cost, in the two currencies that count: characters for clients, which cut results that are too long,
// and tokens for models, which read them.
//
// Both are kept by counting in one: Meter::cost is what a text takes of `chars`, by whichever of the two it takes more
// of. So a sum of costs that is within `chars` is within both.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/json_cost.h"
#include "base/token_estimate.h"

namespace bashcell::base {

struct Budget {
  size_t chars = 7'500;   // json_cost
  size_t tokens = 1'800;  // token_estimate; kAnyTokens: no limit
};
inline constexpr size_t kAnyTokens = std::numeric_limits<uint32_t>::max();

// Text that grows, and what it costs so far.
struct Tally {
  size_t chars = 0;
  TokenCounter tokens;

  void add(std::string_view text) {
    chars += json_cost(text);
    tokens.add(text);
  }
};

// Pure; cheap to copy. At most about 4 billion of each currency.
class Meter {
 public:
  // Not explicit: a budget is all that a meter is made of.
  Meter(Budget budget) : budget_(budget) {}  // NOLINT(google-explicit-constructor)

  // All of the budget, as a cost.
  size_t limit() const { return budget_.chars; }

  // Lines, each with its newline, cost together what they cost apart, or less.
  size_t cost(std::string_view text) const;
  size_t cost(const Tally& tally) const { return cost_of(tally.chars, tally.tokens.units()); }
  size_t cost(Budget part) const { return cost_of(part.chars, part.tokens * TokenCounter::kUnits); }

  // The beginning, or the end, of valid UTF-8 `text` that costs at most `max_cost`, in whole characters; the longest
  // one for all that matters (an end that begins in the middle of a word may cost more than a longer one).
  std::string_view prefix(std::string_view text, size_t max_cost) const;
  std::string_view suffix(std::string_view text, size_t max_cost) const;

 private:
  size_t cost_of(size_t chars, uint64_t token_units) const;

  Budget budget_;
};

}  // namespace bashcell::base
