#include "supervisor/output/trim.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/quantity.h"
#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kMaxLine = 1500;
constexpr size_t kLeastOfATable = 1000;
constexpr size_t kAnyLine = 2;   // what a newline costs in characters: no line is free
constexpr size_t kMinLine = 70;  // enough for the mark and something to see on both sides of it

size_t line_limit(size_t budget) { return std::min(kMaxLine, std::max(budget / 3, kMinLine)); }
int64_t size_of(std::string_view text) { return static_cast<int64_t>(text.size()); }

// More of them cost more than any reply may.
int64_t most_newlines(const base::Meter& meter) { return static_cast<int64_t>(meter.limit() / kAnyLine); }

int64_t count_newlines(std::string_view text) {
  constexpr size_t kBlock = 128;  // a count that fits a byte: so compilers count in many bytes at once
  int64_t newlines = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    uint8_t count = 0;
    for (size_t i = 0; i < kBlock; ++i) count = static_cast<uint8_t>(count + (text[i] == '\n' ? 1 : 0));
    newlines += count;
  }
  return newlines + std::count(text.begin(), text.end(), '\n');
}

// Writes items in their order, and a mark wherever something is missing.
class Page {
 public:
  Page(size_t limit, const base::Meter& meter, int64_t total_lines, int64_t total_bytes)
      : limit_(limit), meter_(meter), total_lines_(total_lines), total_bytes_(total_bytes) {}

  void add(const Item& item) {
    if (item.run) {
      // A mark of its own, unless something else is missing beside it.
      run_ = next_line_ == item.number && gap_lines_ == 0;
      skip_to(item.number + item.lines, item.offset + item.bytes);
      return;
    }
    if (item.number > next_line_) {
      run_ = false;
      skip_to(item.number, item.offset);
    }
    write_mark();
    const ShownLine line = shorten(item.view(), limit_, meter_);
    text_ += line.text() + '\n';
    shown_bytes_ += line.bytes() + (item.bytes - item.view().bytes());
    next_line_ = item.number + 1;
    next_offset_ = item.offset + item.bytes;
  }

  void finish(Trimmed& result) {
    if (next_line_ < total_lines_) {
      run_ = false;
      skip_to(total_lines_, total_bytes_);
    }
    write_mark();
    if (!text_.empty()) text_.pop_back();
    result.text = std::move(text_);
    result.left_out_lines = left_out_lines_;
    result.left_out_bytes = result.total_bytes - shown_bytes_;
  }

 private:
  void skip_to(int64_t number, int64_t offset) {
    gap_lines_ += number - next_line_;
    gap_bytes_ += offset - next_offset_;
    next_line_ = number;
    next_offset_ = offset;
  }

  void write_mark() {
    if (gap_lines_ == 0) return;
    text_ += (run_ ? run_mark(gap_lines_, gap_bytes_) : gap_mark(gap_lines_, gap_bytes_)) + '\n';
    left_out_lines_ += gap_lines_;
    gap_lines_ = 0;
    gap_bytes_ = 0;
    run_ = false;
  }

  size_t limit_;
  base::Meter meter_;
  int64_t total_lines_;
  int64_t total_bytes_;
  std::string text_;
  int64_t next_line_ = 0;
  int64_t next_offset_ = 0;
  int64_t gap_lines_ = 0;
  int64_t gap_bytes_ = 0;
  bool run_ = false;  // the gap is one run of similar lines
  int64_t shown_bytes_ = 0;
  int64_t left_out_lines_ = 0;
};

struct Choice {
  const Item* item = nullptr;
  size_t cost = 0;
  bool chosen = false;
};

// Chooses items one after the other, for at most `share` in all; what they cost is taken from `room`.
template <typename Iterator>
void take(Iterator begin, Iterator end, size_t share, size_t& room) {
  size_t cost = 0;
  for (; begin != end; ++begin) {
    if (begin->chosen) continue;
    if (cost + begin->cost > share) break;
    cost += begin->cost;
    begin->chosen = true;
  }
  room -= std::min(room, cost);
}

int64_t lines_of(const std::vector<Choice>& choices, size_t begin, size_t end) {
  int64_t lines = 0;
  for (size_t i = begin; i < end; ++i) lines += choices[i].item->lines;
  return lines;
}

// A gap between chosen items that costs less than its mark is no gap: its mark has been paid for.
void fill_small_gaps(std::vector<Choice>& choices, const base::Meter& meter) {
  for (size_t begin = 1; begin < choices.size(); ++begin) {
    if (choices[begin].chosen || !choices[begin - 1].chosen) continue;
    size_t end = begin;
    size_t cost = 0;
    for (; end < choices.size() && !choices[end].chosen; ++end) cost += choices[end].cost;
    if (end == choices.size()) return;
    const Item& before = *choices[begin - 1].item;
    const Item& after = *choices[end].item;
    const int64_t lines = after.number - (before.number + before.lines);
    const int64_t bytes = after.offset - (before.offset + before.bytes);
    const bool all_there = lines == lines_of(choices, begin, end);
    if (!all_there || cost > meter.cost(gap_mark(lines, bytes) + '\n')) continue;
    for (size_t i = begin; i < end; ++i) choices[i].chosen = true;
  }
}

}  // namespace

// Bytes kept of a line against its costs: a character costs at least 1 and is at most 3 bytes long for each 1 it costs.
// Each end of a long line is shown for at most line_limit, and two ends together: 2 bytes for 1 are enough for each.
Trimmer::Trimmer(const base::Meter& meter) : meter_(meter), reader_(2 * kMaxLine), highlights_(meter) {}

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
  characters_ += base::utf8_length(text);
  if (overflow_) return add_lines(text);
  tally_.add(text);
  first_ += text;
  if (meter_.cost(tally_) <= meter_.limit()) return;
  overflow_ = true;
  add_lines(first_);
}

void Trimmer::add_lines(std::string_view text) {
  json_.add(text);
  collapser_.begin(text);
  const auto on_item = [this](Item&& item) { keep(std::move(item)); };
  reader_.add(text, [&](const LineView& line) {
    table_.add_line(line.head);
    collapser_.add(line, true, on_item);
  });
  if (newlines_ > most_newlines(meter_)) return;
  const size_t enough = 3 * meter_.limit();  // no character has more bytes than three for each unit it costs
  last_ += text;
  if (last_.size() > 2 * enough) last_.erase(0, last_.size() - enough);
}

void Trimmer::keep(Item&& item) {
  judge_.judge(item, !tail_.empty() ? &tail_.back() : !head_.empty() && !head_full_ ? &head_.back() : nullptr);
  item.chars = std::min(base::json_cost(item.text), line_limit(meter_.limit())) + kAnyLine;
  if (head_.empty() || (!head_full_ && head_chars_ + item.chars <= meter_.limit())) {
    head_chars_ += item.chars;
    head_.push_back(std::move(item));
    return;
  }
  head_full_ = true;
  tail_chars_ += item.chars;
  tail_.push_back(std::move(item));
  while (tail_chars_ > meter_.limit() && tail_.size() > 1) {
    tail_chars_ -= tail_.front().chars;
    highlights_.add(std::move(tail_.front()), judge_);
    tail_.pop_front();
  }
}

Trimmed Trimmer::finish(size_t budget, size_t budget_if_cut) && {
  Trimmed result;
  result.total_bytes = bytes_;
  result.total_lines = bytes_ == 0 ? 0 : newlines_ + 1;
  if (!overflow_ && meter_.cost(tally_) <= budget) {
    result.text = std::move(first_);
    return result;
  }
  if (!overflow_) add_lines(first_);
  const auto on_item = [this](Item&& item) { keep(std::move(item)); };
  collapser_.begin({});
  table_.add_line(reader_.open_line().head);
  collapser_.add(reader_.open_line(), false, on_item);
  collapser_.close(on_item);
  const size_t limit = std::min(budget, budget_if_cut);
  std::optional<std::string> outline = json_.finish();
  if (!outline) outline = table_.finish();
  const size_t cost = outline ? meter_.cost("[" + *outline + "]\n") : 0;
  const size_t share = std::max(limit / 4, std::min(limit, kLeastOfATable));
  if (!outline || 2 * cost >= share) {
    cut(limit, result);
    return result;
  }
  if (!cut_within_one_line(share - cost, result)) choose_lines(share - cost, std::min(share, limit - share), result);
  result.text = "[" + *outline + (result.text.empty() ? "]" : "]\n") + result.text;
  return result;
}

void Trimmer::cut(size_t budget, Trimmed& result) {
  if (!cut_within_one_line(budget, result)) choose_lines(budget, std::nullopt, result);
}

bool Trimmer::cut_within_one_line(size_t budget, Trimmed& result) {
  if (newlines_ > most_newlines(meter_)) return false;
  constexpr size_t kHeadParts = 4;
  const ShownLine shown = two_ends(first_, last_, characters_, budget, meter_, kHeadParts);
  if (shown.bytes() == 0 || count_newlines(shown.head) + count_newlines(shown.tail) != newlines_) return false;
  result.text = shown.text();
  if (meter_.cost(result.text) > budget) return false;
  result.left_out_bytes = result.total_bytes - shown.bytes();
  return true;
}

void Trimmer::choose_lines(size_t budget, std::optional<size_t> highlights_room, Trimmed& result) {
  // A mark is paid for before it is known: with as many lines as there are, and a size of any length.
  const size_t mark = mark_cost(result.total_lines, meter_);
  const size_t limit = line_limit(budget);
  Page page(limit, meter_, result.total_lines, result.total_bytes);
  std::vector<Choice> choices;
  for (const Item& item : head_) choices.push_back({&item, item_cost(item, limit, meter_), false});
  for (size_t i = 0; i < tail_.size(); ++i) choices.push_back({&tail_[i], item_cost(tail_[i], limit, meter_), false});
  const size_t whole = std::accumulate(choices.begin(), choices.end(), size_t{0},
                                       [](size_t sum, const Choice& choice) { return sum + choice.cost; });
  const bool all_kept = tail_.empty() || tail_.front().number == head_.back().number + head_.back().lines;
  if (all_kept && whole <= budget) {
    for (const Choice& choice : choices) page.add(*choice.item);
    return page.finish(result);
  }
  if (budget < mark) {
    result.left_out_lines = result.total_lines;
    result.left_out_bytes = result.total_bytes;
    return;
  }
  size_t room = budget - mark;
  const size_t least = std::min(limit + kAnyLine, room / 3);  // a line at each end, however long
  // Where lines are gone that were between head_ and tail_, there is a gap, and neither end reaches over it.
  const auto gap = static_cast<std::ptrdiff_t>(head_.size());
  const auto head_end = all_kept ? choices.end() : choices.begin() + gap;
  const auto tail_end = all_kept ? choices.rend() : choices.rend() - gap;
  take(choices.begin(), head_end, std::max(room * 3 / 10, least), room);
  take(choices.rbegin(), tail_end, std::max(room * 4 / 7, least), room);

  std::vector<Item> before;
  std::vector<Item> after;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!choices[i].chosen) (i < head_.size() || all_kept ? before : after).push_back(*choices[i].item);
  }
  const Highlights::Budget share{.all = highlights_room.value_or(room), .line = limit, .mark = mark};
  const std::vector<Item> middle = std::move(highlights_).select(std::move(before), std::move(after), judge_, share);
  std::vector<const Item*> shown;
  for (const Item& item : middle) {
    shown.push_back(&item);
    if (!highlights_room) room -= item_cost(item, limit, meter_) + mark;
    for (Choice& choice : choices) choice.chosen = choice.chosen || choice.item->number == item.number;
  }
  take(choices.rbegin(), tail_end, room, room);
  take(choices.begin(), head_end, room, room);
  fill_small_gaps(choices, meter_);
  for (const Choice& choice : choices) {
    if (choice.chosen) shown.push_back(choice.item);
  }
  std::sort(shown.begin(), shown.end(), [](const Item* a, const Item* b) { return a->number < b->number; });
  int64_t last = -1;
  for (const Item* item : shown) {
    if (std::exchange(last, item->number) != item->number) page.add(*item);
  }
  page.finish(result);
}

}  // namespace bashcell::supervisor
