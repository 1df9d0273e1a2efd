#include "supervisor/output/highlights.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace bashcell::supervisor {

namespace {

constexpr int64_t kErrorsOfAShape = 3;
constexpr int64_t kWarningsOfAShape = 1;
constexpr int64_t kWordsOfAShape = 4;  // of further lines of a shape the words are known
constexpr int kLinesAfterAnError = 2;
constexpr int kUnusual = 2;  // the least score
constexpr size_t kMostUnusual = 12;

size_t column(uint64_t shape, size_t row, size_t columns) {
  return static_cast<size_t>((row == 0 ? shape : (shape * 0x9e3779b97f4a7c15) >> 32) % columns);
}

// Takes the best of some items for at most so much of the room, kind by kind.
class Selection {
 public:
  // `cost_of(item)`: asked once for each item that may be taken.
  template <typename CostOf>
  Selection(const std::deque<Item>& items, const Judge& judge, size_t room, CostOf cost_of)
      : items_(items), chosen_(items.size()), room_(room) {
    for (const Item& item : items) {
      scores_.push_back(judge.score(item));
      costs_.push_back(item.rank == Rank::kPlain ? 0 : cost_of(item));
    }
    take_all();
  }

  const std::vector<bool>& chosen() const { return chosen_; }

 private:
  // Of one rank: the most unusual first, then those whose shape was seen less often before, and among these the
  // earlier: it is more often the cause.
  void take(Rank rank, int least_score, size_t share) {
    std::vector<size_t> order;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].rank == rank && !chosen_[i] && scores_[i] >= least_score) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-scores_[a], items_[a].seen) < std::pair(-scores_[b], items_[b].seen);
    });
    size_t left = std::min(share, room_);
    for (const size_t i : order) take_one(i, left);
  }

  // What is unusual is unusual only if it is rare: of many lines that score alike none says anything.
  int least_unusual() const {
    std::map<int, size_t, std::greater<>> lines_by_score;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].rank == Rank::kRare) ++lines_by_score[scores_[i]];
    }
    size_t lines = 0;
    int least = std::numeric_limits<int>::max();
    for (const auto& [score, count] : lines_by_score) {
      lines += count;
      if (lines > kMostUnusual || score < kUnusual) break;
      least = score;
    }
    return least;
  }

  // The context of errors that were taken.
  void take_context() {
    int64_t error = -1;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (chosen_[i] && items_[i].rank == Rank::kError) error = items_[i].number;
      const bool after = error >= 0 && items_[i].number - error <= kLinesAfterAnError;
      const bool before = i + 1 < items_.size() && chosen_[i + 1] && items_[i + 1].rank == Rank::kError &&
                          items_[i + 1].number == items_[i].number + 1;
      if (items_[i].rank == Rank::kContext && !chosen_[i] && (after || before)) take_one(i, room_);
    }
  }

  void take_all() {
    const size_t room = room_;
    take(Rank::kError, 0, room / 2);
    const int unusual = least_unusual();
    take(Rank::kRare, unusual, room / 3);
    take_context();
    take(Rank::kError, 0, room);
    take(Rank::kWarning, 0, room);
    take(Rank::kRare, unusual, room);
  }

  void take_one(size_t i, size_t& left) {
    const size_t cost = costs_[i];
    if (cost > left || cost > room_) return;
    if (&left != &room_) left -= cost;
    room_ -= cost;
    chosen_[i] = true;
  }

  const std::deque<Item>& items_;
  std::vector<int> scores_;
  std::vector<size_t> costs_;
  std::vector<bool> chosen_;
  size_t room_;
};

}  // namespace

int64_t ShapeCounts::add(uint64_t shape, int64_t lines) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const int64_t before = count(shape);
  const auto more = static_cast<uint32_t>(std::min<int64_t>(lines, kMost));
  for (size_t row = 0; row < kRows; ++row) {
    uint32_t& cell = counts_[row][column(shape, row, kColumns)];
    cell = cell > kMost - more ? kMost : cell + more;
  }
  return before;
}

int64_t ShapeCounts::count(uint64_t shape) const {
  return std::min(counts_[0][column(shape, 0, kColumns)], counts_[1][column(shape, 1, kColumns)]);
}

void Judge::judge(Item& item, Item* previous) {
  item.seen = counts_.add(item.shape.hash, item.lines);
  if (!item.run && item.seen < kWordsOfAShape) item.traits = rarity_.add(item.text);
  const bool is_new = item.seen == 0;
  // Counted by themselves, so that the many other shapes of a long text cannot hide a new one.
  if (item.shape.weight != Weight::kPlain) item.seen = troubles_.add(item.shape.hash, item.lines);
  item.rank = Rank::kPlain;
  const bool context = following_ > 0;
  if (context) --following_;
  if (item.run) return;
  if (item.shape.weight == Weight::kError && item.seen < kErrorsOfAShape) {
    item.rank = Rank::kError;
    following_ = kLinesAfterAnError;
    if (previous != nullptr && !previous->run && previous->rank < Rank::kContext) {
      previous->rank = Rank::kContext;
      previous->seen = item.seen;
    }
  } else if (item.shape.weight == Weight::kWarning && item.seen < kWarningsOfAShape) {
    item.rank = Rank::kWarning;
  } else if (is_new && rarity_.score(item.traits) >= kUnusual) {
    item.rank = Rank::kRare;
  } else if (context) {
    item.rank = Rank::kContext;
  }
}

void Highlights::add(Item&& item, const Judge& judge) {
  if (item.rank == Rank::kPlain) return;
  chars_ += item.chars;
  items_.push_back(std::move(item));
  if (chars_ > 3 * meter_.limit()) prune(judge);
}

void Highlights::prune(const Judge& judge) {
  const Selection selection(items_, judge, meter_.limit(), [](const Item& item) { return item.chars; });
  std::deque<Item> rest;
  chars_ = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!selection.chosen()[i]) continue;
    chars_ += items_[i].chars;
    rest.push_back(std::move(items_[i]));
  }
  items_ = std::move(rest);
}

std::vector<Item> Highlights::select(std::vector<Item> before, std::vector<Item> after, const Judge& judge,
                                     const Budget& budget) && {
  std::deque<Item> all;
  for (Item& item : before) all.push_back(std::move(item));
  for (Item& item : items_) all.push_back(std::move(item));
  for (Item& item : after) all.push_back(std::move(item));
  const Selection selection(all, judge, budget.all,
                            [&](const Item& item) { return item_cost(item, budget.line, meter_) + budget.mark; });
  std::vector<Item> selected;
  for (size_t i = 0; i < all.size(); ++i) {
    if (selection.chosen()[i]) selected.push_back(std::move(all[i]));
  }
  return selected;
}

}  // namespace bashcell::supervisor
