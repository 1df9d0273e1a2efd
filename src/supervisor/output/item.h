#pragma once
// What a reply can be made of: a line, or a mark that stands for the rest of a run of similar lines.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "supervisor/output/line_reader.h"
#include "supervisor/output/line_shape.h"
#include "supervisor/output/rarity.h"

namespace bashcell::supervisor {

// What an item is to a reader (highlights.h), from what can go first to what must stay.
enum class Rank : uint8_t { kPlain, kRare, kWarning, kContext, kError };

struct Item {
  // Where it is in the whole text, counted from 0. `bytes` with the newlines: the next item begins at offset + bytes.
  int64_t number = 0;
  int64_t lines = 1;  // of a run: how many it stands for
  int64_t offset = 0;
  int64_t bytes = 0;
  bool run = false;  // lines that look like the one before, not shown

  std::string text;  // of a line; of a very long one its two ends
  size_t cut = 0;    // where in `text` something is missing, if anything is
  int64_t missing_bytes = 0;
  int64_t missing_characters = 0;

  LineShape shape;
  Rank rank = Rank::kPlain;
  int64_t seen = 0;  // lines of that shape before it
  Rarity::Traits traits;
  size_t chars = 0;  // about what it costs, in characters: how much is held is counted in these

  LineView view() const {
    const std::string_view whole = text;
    if (missing_bytes == 0) return {whole, {}, 0, 0};
    return {whole.substr(0, cut), whole.substr(cut), missing_bytes, missing_characters};
  }
};

// A line as it is shown. Without missing characters, `tail` is empty.
struct ShownLine {
  std::string_view head;
  std::string_view tail;
  int64_t missing_characters = 0;

  int64_t bytes() const { return static_cast<int64_t>(head.size()) + static_cast<int64_t>(tail.size()); }
  std::string text() const;
};

// The ends of a line, so that with the mark between them it costs at most `limit`.
ShownLine shorten(const LineView& line, size_t limit, const base::Meter& meter);

// The same for any text of so many `characters`: the beginning of `head` and the end of `tail`. Of the room for text,
// `head_parts` tenths are for the beginning.
ShownLine two_ends(std::string_view head, std::string_view tail, int64_t characters, size_t limit,
                   const base::Meter& meter, size_t head_parts = 5);

// What one item costs in the reply with its newline, when no line may cost more than `limit`. Of a run mark: the most
// it can cost.
size_t item_cost(const Item& item, size_t limit, const base::Meter& meter);

// The most that a mark of so many lines can cost, with its newline.
size_t mark_cost(int64_t lines, const base::Meter& meter);

std::string middle_mark(int64_t characters);
std::string gap_mark(int64_t lines, int64_t bytes);
std::string run_mark(int64_t lines, int64_t bytes);

}  // namespace bashcell::supervisor
