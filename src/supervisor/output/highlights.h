#pragma once
// Which lines a reader must see: what speaks of trouble, with a line or two of context, and lines that look like no
// other.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "supervisor/output/item.h"

namespace bashcell::supervisor {

// How often each shape was seen, at most (a count-min sketch), and how many there are (a bitmap). 40 KB.
class ShapeCounts {
 public:
  // Counts `lines` more. Returns how many there were before.
  int64_t add(uint64_t shape, int64_t lines);
  int64_t count(uint64_t shape) const;
  int64_t lines() const { return lines_; }
  // At least so many different ones were seen; of more than kManyShapes nothing is known.
  int64_t shapes() const { return shapes_; }
  static constexpr int64_t kManyShapes = 60'000;

 private:
  static constexpr size_t kRows = 2;
  static constexpr size_t kColumns = 4096;
  std::array<std::array<uint32_t, kColumns>, kRows> counts_{};
  std::bitset<65'536> different_;
  int64_t lines_ = 0;
  int64_t shapes_ = 0;
};

// Sees every item once, in order, and says what it is to a reader.
class Judge {
 public:
  // Sets rank and seen of `item`; and makes `previous`, if there is one, context where `item` needs it.
  void judge(Item& item, Item* previous);
  // Of an item that was new when it came: whether its shape has stayed rare, in a text where most lines look like
  // others.
  bool is_rare(const Item& item) const;

 private:
  ShapeCounts counts_;
  ShapeCounts troubles_;  // of errors and warnings
  int following_ = 0;     // how many lines more are context of the last error
};

// The best of the judged items, in memory proportional to the budget.
class Highlights {
 public:
  // select() may be given up to the meter's limit.
  explicit Highlights(const base::Meter& meter) : meter_(meter) {}

  // In order of the text; with its `chars`.
  void add(Item&& item);

  struct Budget {
    size_t all = 0;   // for everything that is selected
    size_t line = 0;  // what one line may cost
    size_t mark = 0;  // on top of each line, for a gap before it
  };
  // The best of these and of all that were added, in order of the text. `before` and `after`: items that come before
  // and after those added. Call once.
  std::vector<Item> select(std::vector<Item> before, std::vector<Item> after, const Judge& judge,
                           const Budget& budget) &&;

 private:
  void prune();

  base::Meter meter_;
  std::deque<Item> items_;  // by number
  size_t chars_ = 0;
};

}  // namespace bashcell::supervisor
