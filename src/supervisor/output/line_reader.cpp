#include "supervisor/output/line_reader.h"

#include <algorithm>

#include "base/utf8.h"

namespace bashcell::supervisor {

void LineReader::extend(std::string_view text) {
  while (!text.empty()) {
    const size_t taken = std::min(text.size(), 6 * part_bytes_ - open_.size());
    open_ += text.substr(0, taken);
    text.remove_prefix(taken);
    if (open_.size() >= 6 * part_bytes_) shorten();
  }
}

void LineReader::shorten() {
  if (cut_at_ == 0) {
    if (open_.size() <= 2 * part_bytes_) return;
    cut_at_ = part_bytes_;
    while (base::is_utf8_continuation(open_[cut_at_])) --cut_at_;
  }
  size_t end = open_.size() - std::min(part_bytes_, open_.size());
  while (end < open_.size() && base::is_utf8_continuation(open_[end])) ++end;
  if (end <= cut_at_) return;
  const auto first = open_.begin() + static_cast<std::ptrdiff_t>(cut_at_);
  const auto last = open_.begin() + static_cast<std::ptrdiff_t>(end);
  missing_bytes_ += last - first;
  missing_characters_ += base::utf8_length({open_.data() + cut_at_, end - cut_at_});
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
