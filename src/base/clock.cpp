#include "base/clock.h"

#include <algorithm>
#include <string>

namespace bashcell::base {

Instant now() { return std::chrono::steady_clock::now(); }

Duration until(Instant deadline) {
  const auto left = std::chrono::ceil<Duration>(deadline - now());
  return std::max(left, Duration::zero());
}

std::string seconds_text(Duration duration) {
  const auto hundredths = (duration.count() + 5) / 10;
  std::string text = std::to_string(hundredths / 100);
  const auto rest = hundredths % 100;
  if (rest != 0) {
    text += '.';
    text += static_cast<char>('0' + rest / 10);
    if (rest % 10 != 0) text += static_cast<char>('0' + rest % 10);
  }
  return text + " s";
}

}  // namespace bashcell::base
