#include <algorithm>
#include <array>

#include "base/quantity.h"
#include "supervisor/output/outline.h"

namespace bashcell::supervisor {

namespace {

constexpr int64_t kLeastRows = 20;
constexpr int64_t kOddRowsIn = 20;  // one of so many may be odd: a quoted newline, a note at the end
constexpr size_t kLongestHeader = 4000;

bool is_name(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
  if (field.empty() || field.size() > 64) return false;
  const auto first = static_cast<unsigned char>(field.front());
  return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z') || first == '_' || first == '#' ||
         first >= 0x80;
}

bool is_header(std::string_view line, char delimiter) {
  if (line.size() > kLongestHeader) return false;
  for (;;) {
    const size_t end = line.find(delimiter);
    if (!is_name(line.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

size_t TableOutline::delimiters_in(std::string_view line, char delimiter) {
  if (line.find('"') == std::string_view::npos) {
    return static_cast<size_t>(std::count(line.begin(), line.end(), delimiter));
  }
  size_t count = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == delimiter && !quoted) ++count;
  }
  return count;
}

void TableOutline::add_line(std::string_view line) {
  if (failed_) return;
  if (delimiter_ == 0) {
    for (const char delimiter : {'\t', ',', ';'}) {
      columns_ = delimiters_in(line, delimiter) + 1;
      if (columns_ < 2 || !is_header(line, delimiter)) continue;
      delimiter_ = delimiter;
      return;
    }
    failed_ = true;
    return;
  }
  ++rows_;
  if (delimiters_in(line, delimiter_) + 1 != columns_) ++odd_;
  failed_ = odd_ * kOddRowsIn > rows_ + kLeastRows;
}

std::optional<std::string> TableOutline::finish() const {
  if (failed_ || delimiter_ == 0 || rows_ < kLeastRows || odd_ * kOddRowsIn > rows_) return std::nullopt;
  return std::string(delimiter_ == '\t' ? "TSV: " : "CSV: ") + base::counted(rows_, "row") + ", " +
         base::counted(static_cast<int64_t>(columns_), "column");
}

}  // namespace bashcell::supervisor
