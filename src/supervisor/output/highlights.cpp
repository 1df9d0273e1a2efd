#include "supervisor/output/highlights.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace bashcell::supervisor {

namespace {

constexpr int64_t kErrorsOfAShape = 3;
constexpr int64_t kWarningsOfAShape = 1;
constexpr int kLinesAfterAnError = 2;
// Rare shapes say something only where a shape has this many lines on average.
constexpr int64_t kLinesForAShape = 10;
constexpr int64_t kRareOfSoManyLines = 2000;

size_t column(uint64_t shape, size_t row, size_t columns) {
  return static_cast<size_t>((row == 0 ? shape : (shape * 0x9e3779b97f4a7c15) >> 32) % columns);
}

// Indices of the items, the best first: errors, their context, warnings, rare shapes; of each kind those whose shape
// was seen less often before, and among these the earlier: it is more often the cause.
std::vector<size_t> by_worth(const std::deque<Item>& items) {
  constexpr size_t kRanks = static_cast<size_t>(Rank::kError) + 1;
  std::array<std::vector<size_t>, kRanks> of_rank;
  for (size_t i = 0; i < items.size(); ++i) of_rank[static_cast<size_t>(items[i].rank)].push_back(i);
  const auto less_often = [&](size_t a, size_t b) { return items[a].seen < items[b].seen; };
  std::vector<size_t> order;
  order.reserve(items.size());
  for (size_t rank = kRanks; rank-- > 0;) {
    std::vector<size_t>& same = of_rank[rank];
    // Most are in order: the many rare shapes all were new when they came.
    if (!std::is_sorted(same.begin(), same.end(), less_often)) std::stable_sort(same.begin(), same.end(), less_often);
    order.insert(order.end(), same.begin(), same.end());
  }
  return order;
}

}  // namespace

int64_t ShapeCounts::add(uint64_t shape, int64_t lines) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  const int64_t before = count(shape);
  const auto more = static_cast<uint32_t>(std::min<int64_t>(lines, kMost));
  for (size_t row = 0; row < kRows; ++row) {
    uint32_t& cell = counts_[row][column(shape, row, kColumns)];
    cell = cell > kMost - more ? kMost : cell + more;
  }
  lines_ += lines;
  auto bit = different_[static_cast<size_t>((shape * 0xff51afd7ed558ccd) >> 48)];
  if (!bit) ++shapes_;
  bit = true;
  return before;
}

int64_t ShapeCounts::count(uint64_t shape) const {
  return std::min(counts_[0][column(shape, 0, kColumns)], counts_[1][column(shape, 1, kColumns)]);
}

void Judge::judge(Item& item, Item* previous) {
  item.seen = counts_.add(item.shape.hash, item.lines);
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
  } else if (context) {
    item.rank = Rank::kContext;
  } else if (item.seen == 0 && !item.text.empty()) {
    item.rank = Rank::kRare;
  }
}

bool Judge::is_rare(const Item& item) const {
  const int64_t often = std::max<int64_t>(1, counts_.lines() / kRareOfSoManyLines);
  const int64_t shapes = counts_.shapes();
  return shapes < ShapeCounts::kManyShapes && shapes * kLinesForAShape <= counts_.lines() &&
         counts_.count(item.shape.hash) <= often;
}

void Highlights::add(Item&& item) {
  if (item.rank == Rank::kPlain) return;
  chars_ += item.chars;
  items_.push_back(std::move(item));
  if (chars_ > 3 * meter_.limit()) prune();
}

void Highlights::prune() {
  std::vector<bool> kept(items_.size());
  size_t chars = 0;
  for (const size_t i : by_worth(items_)) {
    if (chars + items_[i].chars > meter_.limit()) break;
    chars += items_[i].chars;
    kept[i] = true;
  }
  size_t count = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!kept[i]) continue;
    if (count != i) items_[count] = std::move(items_[i]);
    ++count;
  }
  items_.resize(count);
  chars_ = chars;
}

std::vector<Item> Highlights::select(std::vector<Item> before, std::vector<Item> after, const Judge& judge,
                                     const Budget& budget) && {
  std::deque<Item> all;
  for (Item& item : before) all.push_back(std::move(item));
  for (Item& item : items_) all.push_back(std::move(item));
  for (Item& item : after) all.push_back(std::move(item));
  std::vector<bool> chosen(all.size());
  size_t cost = 0;
  for (const size_t i : by_worth(all)) {
    if (all[i].rank == Rank::kPlain) break;
    if (all[i].rank == Rank::kRare && !judge.is_rare(all[i])) continue;
    const size_t more = item_cost(all[i], budget.line, meter_) + budget.mark;
    if (cost + more > budget.all) continue;
    cost += more;
    chosen[i] = true;
  }
  std::vector<Item> selected;
  for (size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) selected.push_back(std::move(all[i]));
  }
  return selected;
}

}  // namespace bashcell::supervisor
