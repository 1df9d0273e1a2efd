#include "supervisor/output/run_collapser.h"

#include <utility>

namespace bashcell::supervisor {

namespace {

// Room for most lines: a string that always has storage of its own is moved without looking where its text is.
constexpr size_t kLeastRoom = 64;

void fill(Item& item, const LineView& line) {
  if (item.text.capacity() < kLeastRoom) item.text.reserve(kLeastRoom);
  item.text.assign(line.head);
  if (!line.tail.empty()) item.text += line.tail;
  item.cut = line.head.size();
  item.missing_bytes = line.missing_bytes;
  item.missing_characters = line.missing_characters;
}

}  // namespace

Item& RunCollapser::next_item(const LineView& line, bool newline, const LineShape& shape) {
  Item& item = next_;
  item.number = number_++;
  item.offset = offset_;
  item.bytes = line.bytes() + (newline ? 1 : 0);
  item.shape = shape;
  item.traits = {};
  offset_ += item.bytes;
  fill(item, line);
  return item;
}

// `held_` has the last line, which is the same text: only its place changes.
void RunCollapser::repeat(const LineView& line, bool newline) {
  ++run_;
  Item& last = held_.front();
  ++hidden_.lines;
  hidden_.bytes += last.bytes;
  last.number = number_++;
  last.offset = offset_;
  last.bytes = line.bytes() + (newline ? 1 : 0);
  offset_ += last.bytes;
}

void RunCollapser::hold(const LineView& line, bool newline) {
  if (hidden_.run) {
    repeat(line, newline);
    fill(held_.front(), line);
    return;
  }
  held_.push_back(std::move(next_item(line, newline, shape_)));
  if (held_.size() <= kMostHeld) return;
  hidden_.run = true;
  hidden_.number = held_.front().number;
  hidden_.offset = held_.front().offset;
  hidden_.lines = static_cast<int64_t>(held_.size()) - 1;
  hidden_.bytes = held_.back().offset - hidden_.offset;
  hidden_.shape = shape_;
  held_.erase(held_.begin(), held_.end() - 1);
}

}  // namespace bashcell::supervisor
