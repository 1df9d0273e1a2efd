#include "base/quantity.h"

#include <array>

namespace bashcell::base {

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  const size_t first_digit = number < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first_digit + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string counted(int64_t number, std::string_view unit) {
  std::string text = grouped(number) + ' ';
  text += unit;
  if (number != 1) text += 's';
  return text;
}

std::string size_text(int64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte");
  constexpr std::array<std::string_view, 6> kUnits{"KB", "MB", "GB", "TB", "PB", "EB"};
  size_t unit = 0;
  int64_t tenths = bytes / 100 + (bytes % 100 >= 50 ? 1 : 0);
  while (tenths >= 10'000 && unit + 1 < kUnits.size()) {
    ++unit;
    tenths = (tenths + 500) / 1000;
  }
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += std::string(".") + static_cast<char>('0' + tenths % 10);
  text += ' ';
  text += kUnits[unit];
  return text;
}

}  // namespace bashcell::base
