#pragma once
// Keeps of a stream of clean text what fits into a budget: all of it, or its beginning and its end.
//
// The budget is counted in json_cost. Text that fits comes back byte for byte, but for newlines at its end, which are
// not part of the text. Otherwise: whole lines, about 40 % from the start and 60 % from the end, with one mark line
// between them; lines over about 1,500 units (or a third of the budget) are cut in the middle, with a mark in the line.
// If all that has to go lies within one line, that line alone is cut. Marks say exactly how much is missing, and are
// paid for by the budget. Memory is proportional to the largest budget, not to the stream.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "supervisor/output/line_store.h"

namespace bashcell::supervisor {

// kept + left out = whole: `text` without its marks is total_bytes - left_out_bytes long.
struct Trimmed {
  std::string text;
  int64_t total_lines = 0;  // of the whole text without newlines at its end; an unfinished last line counts
  int64_t total_bytes = 0;
  int64_t left_out_lines = 0;  // lines of which nothing is shown
  int64_t left_out_bytes = 0;  // of these lines with their newlines, and out of the middle of lines
};

class Trimmer {
 public:
  // `max_chars`: the largest budget that finish() may be given.
  explicit Trimmer(size_t max_chars);

  // The next piece: what Cleaner gave, cut at character boundaries.
  void add(std::string_view clean);

  // Text that costs at most `budget` is returned whole; other text is cut down to `budget_if_cut`, so that a sentence
  // about the cut can be paid for out of the rest. Both at most max_chars. Call once.
  Trimmed finish(size_t budget, size_t budget_if_cut) &&;

 private:
  void add_body(std::string_view text);
  void keep_ends(std::string_view text);
  // Each fills in the text, or refuses and leaves it to the next.
  bool cut_within_one_line(size_t budget, Trimmed& result);
  bool cut_every_long_line(size_t budget, Trimmed& result);
  void cut_between_lines(size_t budget, Trimmed& result);

  size_t max_chars_;
  int64_t pending_newlines_ = 0;  // part of the text only if more text follows
  int64_t newlines_ = 0;
  int64_t bytes_ = 0;
  int64_t characters_ = 0;
  size_t cost_ = 0;        // of first_
  bool overflow_ = false;  // costs more than max_chars: lines_ and last_ are in use
  std::string first_;      // the text itself up to max_chars, then its beginning
  std::string last_;       // its end, uncut
  LineStore lines_;        // its lines from both ends, the long ones cut
};

}  // namespace bashcell::supervisor
