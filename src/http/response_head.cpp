#include "http/response_head.h"

#include <algorithm>
#include <charconv>

namespace bashcell::http {

namespace {

constexpr std::string_view kBlanks = " \t";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view without_blanks(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// The line at `start` without its end, and where the next begins; nothing when the line is not complete.
std::optional<std::string_view> line_at(std::string_view text, size_t& start) {
  const size_t newline = text.find('\n', start);
  if (newline == std::string_view::npos) return std::nullopt;
  std::string_view line = text.substr(start, newline - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  start = newline + 1;
  return line;
}

// "HTTP/1.1 101 UPGRADED": 0 when it is not a status line.
long status_of(std::string_view line) {
  if (line.size() < 12 || (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 "))) return 0;
  if (line.size() > 12 && line[12] != ' ') return 0;
  long status = 0;
  const auto [end, error] = std::from_chars(line.data() + 9, line.data() + 12, status);
  return error == std::errc() && end == line.data() + 12 && status >= 100 ? status : 0;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string chunks_so_far(std::string_view received, bool& complete) {
  std::string body;
  size_t at = 0;
  while (const std::optional<std::string_view> line = line_at(received, at)) {
    const std::optional<size_t> size = number_of<size_t>(without_blanks(line->substr(0, line->find(';'))), 16);
    if (!size || *size == 0) {  // the last one; a broken one ends it as well
      complete = true;
      break;
    }
    body += received.substr(at, *size);
    if (*size > received.size() - at) break;
    at += *size;
    if (!line_at(received, at)) break;
  }
  return body;
}

}  // namespace

HeadState parse_head(std::string_view received, ResponseHead& head) {
  constexpr std::string_view kStart = "HTTP/1.";
  const size_t seen = std::min(received.size(), kStart.size());
  if (received.substr(0, seen) != kStart.substr(0, seen)) return HeadState::kGarbage;
  size_t at = 0;
  std::optional<std::string_view> line = line_at(received, at);
  if (!line) return HeadState::kIncomplete;
  head = ResponseHead{.status = status_of(*line)};
  if (head.status == 0) return HeadState::kGarbage;
  while ((line = line_at(received, at))) {
    if (line->empty()) {
      head.size = at;
      return HeadState::kComplete;
    }
    const size_t colon = line->find(':');
    if (colon == std::string_view::npos) return HeadState::kGarbage;
    const std::string_view name = line->substr(0, colon);
    const std::string_view value = without_blanks(line->substr(colon + 1));
    if (same_word(name, "Content-Length")) {
      head.content_length = number_of<size_t>(value, 10);
      if (!head.content_length) return HeadState::kGarbage;
    }
    if (same_word(name, "Transfer-Encoding") && same_word(value, "chunked")) head.chunked = true;
  }
  return HeadState::kIncomplete;
}

std::string body_so_far(const ResponseHead& head, std::string_view received, bool& complete) {
  complete = false;
  if (head.chunked) return chunks_so_far(received, complete);
  if (head.content_length) {
    complete = received.size() >= *head.content_length;
    received = received.substr(0, *head.content_length);
  }
  return std::string(received);
}

}  // namespace bashcell::http
