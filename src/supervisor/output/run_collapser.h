#pragma once
// Turns lines into items. Of many lines in a row that look alike only the first few and the last one are kept, with a
// mark that stands for the rest.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "supervisor/output/item.h"

namespace bashcell::supervisor {

class RunCollapser {
 public:
  // The text that lines will come from, or most of them (LineShapes).
  void begin(std::string_view text) { shapes_.begin(text); }

  // The next line, and whether a newline follows it. Calls `on_item(Item)` for what is settled.
  template <typename OnItem>
  void add(const LineView& line, bool newline, OnItem&& on_item) {
    if (is_repeated(line)) {
      repeat(line, newline);
      return;
    }
    const LineShape shape = shapes_.shape_of(line.head);
    if (run_ > 0 && shape.hash == shape_.hash) {
      ++run_;
      if (run_ <= kShown) {
        on_item(std::move(next_item(line, newline, shape)));
      } else {
        hold(line, newline);
      }
      return;
    }
    close(on_item);
    run_ = 1;
    shape_ = shape;
    on_item(std::move(next_item(line, newline, shape)));
  }

  // After the last line.
  template <typename OnItem>
  void close(OnItem&& on_item) {
    if (hidden_.run) {
      on_item(std::move(hidden_));
      hidden_ = {};
    }
    for (Item& item : held_) on_item(std::move(item));
    held_.clear();
    run_ = 0;
  }

 private:
  static constexpr int64_t kShown = 4;    // of a run, at its start
  static constexpr size_t kMostHeld = 4;  // more than these are replaced by a mark, but for the last one

  // The usual flood: the very line that was there before. Cheaper than to look at its shape.
  bool is_repeated(const LineView& line) const {
    return hidden_.run && line.missing_bytes == 0 && held_.front().missing_bytes == 0 &&
           line.head == held_.front().text;
  }
  void repeat(const LineView& line, bool newline);
  void hold(const LineView& line, bool newline);
  Item& next_item(const LineView& line, bool newline, const LineShape& shape);

  int64_t number_ = 0;
  int64_t offset_ = 0;
  int64_t run_ = 0;  // lines of the current run; 0 before the first line
  LineShapes shapes_;
  LineShape shape_;
  Item next_;               // whoever takes it may leave storage of a text in it (ItemRing)
  Item hidden_;             // of the run, if hidden_.run
  std::vector<Item> held_;  // the last lines of the run: one, when there is a hidden part
};

}  // namespace bashcell::supervisor
