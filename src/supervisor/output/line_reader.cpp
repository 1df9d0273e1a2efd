#include "supervisor/output/line_reader.h"

#include <algorithm>

namespace bashcell::supervisor {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

}  // namespace

void LineReader::extend(std::string_view text) {
  while (!text.empty()) {
    const size_t room = 6 * part_bytes_ - std::min(6 * part_bytes_, open_.size());
    const size_t taken = std::min(text.size(), std::max(room, size_t{1}));
    open_ += text.substr(0, taken);
    text.remove_prefix(taken);
    if (open_.size() >= 6 * part_bytes_) shorten();
  }
}

void LineReader::shorten() {
  if (cut_at_ == 0) {
    if (open_.size() <= 2 * part_bytes_) return;
    cut_at_ = part_bytes_;
    while (continues(open_[cut_at_])) --cut_at_;
  }
  size_t end = open_.size() - std::min(part_bytes_, open_.size());
  while (end < open_.size() && continues(open_[end])) ++end;
  if (end <= cut_at_) return;
  const auto first = open_.begin() + static_cast<std::ptrdiff_t>(cut_at_);
  const auto last = open_.begin() + static_cast<std::ptrdiff_t>(end);
  missing_bytes_ += last - first;
  missing_characters_ += std::count_if(first, last, [](char byte) { return !continues(byte); });
  open_.erase(first, last);
}

LineView LineReader::open_line() {
  shorten();
  const std::string_view whole = open_;
  if (cut_at_ == 0) return {whole, {}, 0, 0};
  return {whole.substr(0, cut_at_), whole.substr(cut_at_), missing_bytes_, missing_characters_};
}

void LineReader::forget() {
  open_.clear();
  cut_at_ = 0;
  missing_bytes_ = 0;
  missing_characters_ = 0;
}

}  // namespace bashcell::supervisor
