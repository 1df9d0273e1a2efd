#pragma once
// Which lines a reader must see: what speaks of trouble, with a line or two of context, and lines that look like no
// other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "supervisor/output/item.h"
#include "supervisor/output/rarity.h"

namespace bashcell::supervisor {

// How often each shape was seen, at most: a count-min sketch of 32 KB.
class ShapeCounts {
 public:
  // Counts `lines` more. Returns how many there were before.
  int64_t add(uint64_t shape, int64_t lines);

 private:
  int64_t count(uint64_t shape) const;

  static constexpr size_t kRows = 2;
  static constexpr size_t kColumns = 4096;
  std::array<std::array<uint32_t, kColumns>, kRows> counts_{};
};

// Sees every item once, in order, and says what it is to a reader.
class Judge {
 public:
  // Sets rank and seen of `item`; and makes `previous`, if there is one, context where `item` needs it.
  void judge(Item& item, Item* previous);
  // How unusual it is, by what is known by now.
  int score(const Item& item) const { return rarity_.score(item.traits); }

 private:
  ShapeCounts counts_;
  ShapeCounts troubles_;  // of errors and warnings
  Rarity rarity_;
  int following_ = 0;  // how many lines more are context of the last error
};

// The best of the judged items, in memory proportional to the budget.
class Highlights {
 public:
  // select() may be given up to the meter's limit.
  explicit Highlights(const base::Meter& meter) : meter_(meter) {}

  // In order of the text; with its `chars`. `judge` has judged it.
  void add(Item&& item, const Judge& judge);

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
  void prune(const Judge& judge);

  base::Meter meter_;
  std::deque<Item> items_;  // by number
  size_t chars_ = 0;
};

}  // namespace bashcell::supervisor
