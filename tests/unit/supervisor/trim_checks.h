#pragma once
// How a trimmed text is checked against the whole one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "output_samples.h"
#include "supervisor/output/trim.h"

namespace bashcell::supervisor {

inline Trimmed trimmed(std::string_view text, size_t budget, const base::Meter& meter) {
  Trimmer trimmer(meter);
  trimmer.add(text);
  return std::move(trimmer).finish(budget, budget);
}

inline Trimmed trimmed(std::string_view text, size_t budget, size_t max_chars) {
  return trimmed(text, budget, chars_only(max_chars));
}

inline Trimmed trimmed(std::string_view text, size_t budget) { return trimmed(text, budget, budget); }

inline std::string numbers(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + '\n';
  return text;
}

// The same without digits: no two lines look alike.
inline std::string words(int from, int to) {
  std::string text = numbers(from, to);
  for (char& c : text) {
    if (c != '\n') c = static_cast<char>('a' + (c - '0'));
  }
  return text;
}

inline int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (size_t at = 0;;) {
    const size_t newline = text.find('\n', at);
    lines.emplace_back(text.substr(at, newline - at));
    if (newline == std::string_view::npos) return lines;
    at = newline + 1;
  }
}

struct Mark {
  std::string before;
  std::string what;
  std::string after;
};

// The first "[... WHAT left out ...]" with what stands around it.
inline std::optional<Mark> mark_in(const std::string& line) {
  const std::string open = "[... ";
  const std::string close = " left out ...]";
  const size_t begin = line.find(open);
  const size_t end = begin == std::string::npos ? begin : line.find(close, begin);
  if (end == std::string::npos) return std::nullopt;
  return Mark{line.substr(0, begin), line.substr(begin + open.size(), end - begin - open.size()),
              line.substr(end + close.size())};
}

// "93,211 lines, 4.1 MB" -> 93211.
inline int64_t leading_number(const std::string& text) {
  int64_t number = 0;
  for (const char c : text) {
    if (c == ',') continue;
    if (c < '0' || c > '9') break;
    number = number * 10 + (c - '0');
  }
  return number;
}

// How many bytes of `original` are in `shown`, where its middle may be replaced by a mark; -1 if it is not that line.
inline int64_t shown_of_line(const std::string& original, const std::string& shown) {
  if (shown == original) return static_cast<int64_t>(original.size());
  const std::optional<Mark> mark = mark_in(shown);
  if (!mark || !mark->before.ends_with(' ') || !mark->after.starts_with(' ')) return -1;
  const std::string head = mark->before.substr(0, mark->before.size() - 1);
  const std::string tail = mark->after.substr(1);
  if (head.size() + tail.size() > original.size() || !original.starts_with(head) || !original.ends_with(tail))
    return -1;
  const int64_t missing = characters(original) - characters(head) - characters(tail);
  if (mark->what != base::counted(missing, "character")) return -1;
  return static_cast<int64_t>(head.size() + tail.size());
}

// Every line shown is a line of the original in its place, every count is right, and nothing is over the budget.
inline void check_exact(const std::string& text, const Trimmed& result, size_t budget, const base::Meter& meter) {
  std::string whole = text;
  while (!whole.empty() && whole.back() == '\n') whole.pop_back();
  REQUIRE(meter.cost(result.text) <= budget);
  REQUIRE(base::is_valid_utf8(result.text));
  const std::vector<std::string> original = lines_of(whole);
  REQUIRE(result.total_lines == static_cast<int64_t>(original.size()));
  REQUIRE(result.total_bytes == static_cast<int64_t>(whole.size()));
  if (meter.cost(whole) <= budget) {
    REQUIRE(result.text == whole);
    REQUIRE(result.left_out_bytes == 0);
    REQUIRE(result.left_out_lines == 0);
    return;
  }
  const std::vector<std::string> shown = lines_of(result.text);
  int64_t shown_bytes = 0;
  int64_t left_out_lines = 0;
  size_t next = 0;
  for (const std::string& line : shown) {
    const std::optional<Mark> mark = mark_in(line);
    if (mark && mark->before.empty() && mark->after.empty()) {
      const int64_t lines = leading_number(mark->what);
      int64_t bytes = 0;
      for (int64_t i = 0; i < lines; ++i, ++next) bytes += static_cast<int64_t>(original.at(next).size()) + 1;
      if (next == original.size()) --bytes;
      const std::string unit = mark->what.find("similar") == std::string::npos ? "line" : "similar line";
      REQUIRE(mark->what == base::counted(lines, unit) + ", " + base::size_text(bytes));
      left_out_lines += lines;
      continue;
    }
    const int64_t bytes = shown_of_line(original.at(next), line);
    REQUIRE(bytes >= 0);
    ++next;
    shown_bytes += bytes + (next < original.size() ? 1 : 0);
  }
  if (!shown.empty()) REQUIRE(next == original.size());
  REQUIRE(result.left_out_lines == (shown.empty() ? result.total_lines : left_out_lines));
  REQUIRE(result.left_out_bytes == result.total_bytes - shown_bytes);
  REQUIRE(result.left_out_bytes > 0);
}

inline void check_exact(const std::string& text, const Trimmed& result, size_t budget) {
  check_exact(text, result, budget, chars_only(budget));
}

}  // namespace bashcell::supervisor
