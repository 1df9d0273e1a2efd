#include "base/budget.h"

#include <algorithm>

#include "base/utf8.h"

namespace bashcell::base {

size_t Meter::cost_of(size_t chars, uint64_t token_units) const {
  if (budget_.tokens >= kAnyTokens) return chars;
  const uint64_t all = std::max<uint64_t>(1, budget_.tokens) * TokenCounter::kUnits;
  return std::max<size_t>(chars, (token_units * budget_.chars + all - 1) / all);
}

size_t Meter::cost(std::string_view text) const {
  if (budget_.tokens >= kAnyTokens) return json_cost(text);
  Tally tally;
  tally.add(text);
  return cost(tally);
}

std::string_view Meter::prefix(std::string_view text, size_t max_cost) const {
  Tally tally;
  for (size_t at = 0; at < text.size();) {
    size_t next = at + 1;
    while (next < text.size() && is_utf8_continuation(text[next])) ++next;
    tally.add(text.substr(at, next - at));
    if (cost(tally) > max_cost) return text.substr(0, at);
    at = next;
  }
  return text;
}

// What an end costs depends on where it begins, so it cannot be counted from the back. It is looked for by halving.
std::string_view Meter::suffix(std::string_view text, size_t max_cost) const {
  size_t good = text.size();  // an end from here on is within the cost
  size_t bad = 0;
  if (text.size() > 3 * max_cost) bad = text.size() - 3 * max_cost;  // no character has more than 3 bytes for each 1
  const auto boundary = [&](size_t at) {
    while (at < text.size() && is_utf8_continuation(text[at])) ++at;
    return at;
  };
  if (cost(text.substr(boundary(bad))) <= max_cost) return text.substr(boundary(bad));
  while (bad + 1 < good) {
    const size_t middle = bad + (good - bad) / 2;
    (cost(text.substr(boundary(middle))) <= max_cost ? good : bad) = middle;
  }
  return text.substr(boundary(good));
}

}  // namespace bashcell::base
