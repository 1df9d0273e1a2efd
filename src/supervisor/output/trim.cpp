#include "supervisor/output/trim.h"

#include <algorithm>
#include <array>

#include "base/quantity.h"
#include "supervisor/output/json_cost.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kMaxLine = 1500;
constexpr size_t kMinLine = 70;  // enough for the mark and something to see on both sides of it
constexpr size_t kNewlineCost = 2;

size_t line_limit(size_t budget) { return std::min(kMaxLine, std::max(budget / 3, kMinLine)); }
size_t head_share(size_t budget) { return budget * 2 / 5; }
size_t less(size_t from, size_t amount) { return from - std::min(from, amount); }
int64_t size_of(std::string_view text) { return static_cast<int64_t>(text.size()); }

int64_t count_newlines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }
int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
}

// The marks are plain ASCII without quotes: their size is their cost.
std::string middle_mark(int64_t characters) {
  return " [... " + base::counted(characters, "character") + " left out ...] ";
}
std::string gap_mark(int64_t lines, int64_t bytes) {
  return "[... " + base::counted(lines, "line") + ", " + base::size_text(bytes) + " left out ...]";
}

// A line as it is shown. Without missing characters, `tail` is empty.
struct ShownLine {
  std::string_view head;
  std::string_view tail;
  int64_t missing_characters = 0;

  int64_t bytes() const { return size_of(head) + size_of(tail); }
  size_t cost() const {
    const size_t mark = missing_characters == 0 ? 0 : middle_mark(missing_characters).size();
    return json_cost(head) + mark + json_cost(tail);
  }
  void append_to(std::string& text) const {
    text += head;
    if (missing_characters != 0) text += middle_mark(missing_characters);
    text += tail;
  }
};

// The ends of a line, so that with the mark it costs at most `limit`.
ShownLine shorten(const KeptLine& line, size_t limit) {
  const bool whole = line.missing_bytes == 0;
  if (whole && json_cost(line.head) <= limit) return {line.head, {}, 0};
  const int64_t characters = count_characters(line.head) + count_characters(line.tail) + line.missing_characters;
  const size_t room = less(limit, middle_mark(characters).size());
  ShownLine shown;
  shown.head = json_prefix(line.head, room / 2);
  shown.tail = json_suffix(whole ? line.head : line.tail, room - json_cost(shown.head));
  shown.missing_characters = characters - count_characters(shown.head) - count_characters(shown.tail);
  return shown;
}

// Some lines from one end of a buffer, from offset `begin` to `end`.
struct Span {
  size_t begin = 0;
  size_t end = 0;
  int64_t lines = 0;
  // With a newline for each line:
  int64_t shown_bytes = 0;
  int64_t whole_bytes = 0;  // if no line were cut
  size_t cost = 0;
};

size_t stored_size(const KeptLine& line) { return line.head.size() + line.tail.size() + 1; }

void count_in(Span& span, const KeptLine& kept, const ShownLine& line, size_t cost) {
  ++span.lines;
  span.shown_bytes += line.bytes() + 1;
  span.whole_bytes += static_cast<int64_t>(stored_size(kept)) + kept.missing_bytes;
  span.cost += cost;
}

Span lines_from_start(const LineBuffer& buffer, size_t limit, size_t budget) {
  Span span;
  while (span.end < buffer.text.size()) {
    const KeptLine kept = buffer.line_at(span.end);
    const ShownLine line = shorten(kept, limit);
    const size_t cost = line.cost() + kNewlineCost;
    if (span.cost + cost > budget) break;
    count_in(span, kept, line, cost);
    span.end += stored_size(kept);
  }
  return span;
}

Span lines_from_end(const LineBuffer& buffer, size_t limit, size_t budget) {
  Span span;
  span.begin = span.end = buffer.text.size() + 1;
  while (span.begin > 0) {
    const KeptLine kept = buffer.line_before(span.begin - 1);
    const ShownLine line = shorten(kept, limit);
    const size_t cost = line.cost() + kNewlineCost;
    if (span.cost + cost > budget) break;
    count_in(span, kept, line, cost);
    span.begin -= stored_size(kept);
  }
  return span;
}

void append_lines(std::string& text, const LineBuffer& buffer, const Span& span, size_t limit) {
  for (size_t at = span.begin; at < span.end;) {
    const KeptLine kept = buffer.line_at(at);
    shorten(kept, limit).append_to(text);
    text += '\n';
    at += stored_size(kept);
  }
}

}  // namespace

Trimmer::Trimmer(size_t max_chars) : max_chars_(max_chars), lines_(line_limit(max_chars), max_chars) {}

void Trimmer::add(std::string_view clean) {
  const size_t last = clean.find_last_not_of('\n');
  if (last == std::string_view::npos) {
    pending_newlines_ += size_of(clean);
    return;
  }
  constexpr std::array<char, 1024> kNewlines = [] {
    std::array<char, 1024> newlines{};
    newlines.fill('\n');
    return newlines;
  }();
  while (pending_newlines_ > 0) {
    const int64_t count = std::min<int64_t>(pending_newlines_, kNewlines.size());
    add_body({kNewlines.data(), static_cast<size_t>(count)});
    pending_newlines_ -= count;
  }
  add_body(clean.substr(0, last + 1));
  pending_newlines_ = size_of(clean) - static_cast<int64_t>(last) - 1;
}

void Trimmer::add_body(std::string_view text) {
  bytes_ += size_of(text);
  newlines_ += count_newlines(text);
  characters_ += count_characters(text);
  if (overflow_) return keep_ends(text);
  cost_ += json_cost(text);
  first_ += text;
  if (cost_ <= max_chars_) return;
  overflow_ = true;
  keep_ends(first_);
}

void Trimmer::keep_ends(std::string_view text) {
  lines_.add(text);
  const size_t enough = 3 * max_chars_;  // no character has more bytes than three for each unit it costs
  last_ += text;
  if (last_.size() > 2 * enough) last_.erase(0, last_.size() - enough);
}

Trimmed Trimmer::finish(size_t budget, size_t budget_if_cut) && {
  Trimmed result;
  result.total_bytes = bytes_;
  result.total_lines = bytes_ == 0 ? 0 : newlines_ + 1;
  if (!overflow_ && cost_ <= budget) {
    result.text = std::move(first_);
    return result;
  }
  if (!overflow_) keep_ends(first_);
  lines_.close();
  const size_t limit = std::min(budget, budget_if_cut);
  if (!cut_within_one_line(limit, result) && !cut_every_long_line(limit, result)) cut_between_lines(limit, result);
  return result;
}

bool Trimmer::cut_within_one_line(size_t budget, Trimmed& result) {
  const size_t room = less(budget, middle_mark(characters_).size());
  const std::string_view head = json_prefix(first_, head_share(room));
  const std::string_view tail = json_suffix(last_, room - json_cost(head));
  if (room == 0 || count_newlines(head) + count_newlines(tail) != newlines_) return false;
  const ShownLine shown{head, tail, characters_ - count_characters(head) - count_characters(tail)};
  shown.append_to(result.text);
  result.left_out_bytes = result.total_bytes - shown.bytes();
  return true;
}

bool Trimmer::cut_every_long_line(size_t budget, Trimmed& result) {
  if (!lines_.all()) return false;
  const size_t limit = line_limit(budget);
  const Span span = lines_from_start(lines_.first(), limit, budget + kNewlineCost);
  if (span.lines != result.total_lines) return false;
  append_lines(result.text, lines_.first(), span, limit);
  result.text.pop_back();
  result.left_out_bytes = result.total_bytes - (span.shown_bytes - 1);
  return true;
}

void Trimmer::cut_between_lines(size_t budget, Trimmed& result) {
  // Paid for before it is known: with as many lines as there are, and a size of any length.
  const size_t mark = gap_mark(result.total_lines, 0).size() + base::kMaxSizeText + kNewlineCost;
  const size_t limit = line_limit(budget);
  const size_t room = less(budget, mark);
  const size_t head_room = std::max(head_share(room), std::min(limit + kNewlineCost, room / 2));
  const Span head = lines_from_start(lines_.first(), limit, head_room);
  Span tail = lines_from_end(lines_.last(), limit, room - head.cost + kNewlineCost);
  if (tail.lines > 0) {  // the last line has no newline
    --tail.shown_bytes;
    --tail.whole_bytes;
  }
  result.left_out_bytes = result.total_bytes - head.shown_bytes - tail.shown_bytes;
  result.left_out_lines = result.total_lines - head.lines - tail.lines;
  if (room == 0) return;
  append_lines(result.text, lines_.first(), head, limit);
  result.text += gap_mark(result.left_out_lines, result.total_bytes - head.whole_bytes - tail.whole_bytes) + '\n';
  append_lines(result.text, lines_.last(), tail, limit);
  result.text.pop_back();
}

}  // namespace bashcell::supervisor
