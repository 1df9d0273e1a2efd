#pragma once
// Keeps of a stream of clean text what fits into a budget: all of it, or what a reader needs to see of it.
//
// Costs are what a base::Meter says. Text that fits comes back byte for byte, but for newlines at its end, which are
// not part of the text. Otherwise, in the order of the text: the first lines and the last ones, and between them lines
// that speak of trouble, with context, and lines that look like no other. Of many similar lines in a row the first four
// and the last one stay. Lines over about 1,500 units (or a third of the budget) are cut in the middle. Marks, lines of
// their own, say exactly how much is missing at their place; they are paid for by the budget. If all that has to go
// lies within one line, that line alone is cut, with the mark in it.
//
// Deterministic, and the same whatever the pieces. Memory is proportional to the largest budget, not to the stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "supervisor/output/highlights.h"
#include "supervisor/output/item_ring.h"
#include "supervisor/output/line_reader.h"
#include "supervisor/output/outline.h"
#include "supervisor/output/run_collapser.h"

namespace bashcell::supervisor {

// kept + left out = whole: `text` without its marks, and without the line in brackets before a table, is total_bytes -
// left_out_bytes long.
struct Trimmed {
  std::string text;
  int64_t total_lines = 0;  // of the whole text without newlines at its end; an unfinished last line counts
  int64_t total_bytes = 0;
  int64_t left_out_lines = 0;  // lines of which nothing is shown
  int64_t left_out_bytes = 0;  // of these lines with their newlines, and out of the middle of lines
};

class Trimmer {
 public:
  // finish() may be given up to the meter's limit.
  explicit Trimmer(const base::Meter& meter);

  // The next piece: what Cleaner gave, cut at character boundaries.
  void add(std::string_view clean);

  // Text that costs at most `budget` is returned whole; other text is cut down to `budget_if_cut`, so that a sentence
  // about the cut can be paid for out of the rest. Both at most the meter's limit. Call once.
  Trimmed finish(size_t budget, size_t budget_if_cut) &&;

 private:
  void add_body(std::string_view text);
  void add_lines(std::string_view text);
  void keep(Item&& item);
  bool cut_within_one_line(size_t budget, Trimmed& result);
  // Without `highlights_room` they are a part of the budget. With it, no line of a table stands for itself: they have
  // room of their own, and what they leave of it stays unused.
  void choose_lines(size_t budget, std::optional<size_t> highlights_room, Trimmed& result);
  void cut(size_t budget, Trimmed& result);

  base::Meter meter_;
  int64_t pending_newlines_ = 0;  // part of the text only if more text follows
  int64_t newlines_ = 0;
  int64_t bytes_ = 0;
  int64_t characters_ = 0;
  base::Tally tally_;      // of first_
  bool overflow_ = false;  // costs more than the limit: what follows is in use
  std::string first_;      // the text itself up to the limit, then its beginning
  std::string last_;       // its end, uncut, unless there are so many lines that some must go
  LineReader reader_;
  RunCollapser collapser_;
  std::vector<Item> head_;  // what comes first, up to the limit
  size_t head_chars_ = 0;
  bool head_full_ = false;
  ItemRing tail_;  // what comes last, up to the limit
  size_t tail_chars_ = 0;
  Judge judge_;
  JsonOutline json_;
  TableOutline table_;
  Highlights highlights_;  // of what was between them
};

}  // namespace bashcell::supervisor
