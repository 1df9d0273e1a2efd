#pragma once
// Cuts a stream of clean text into lines, and keeps of a very long one its two ends.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "supervisor/output/byte_masks.h"

namespace bashcell::supervisor {

// One line, without its newline. When its middle is missing, `head` and `tail` are its ends; else `head` is all of it.
struct LineView {
  std::string_view head;
  std::string_view tail;
  int64_t missing_bytes = 0;
  int64_t missing_characters = 0;

  int64_t bytes() const {
    return static_cast<int64_t>(head.size()) + static_cast<int64_t>(tail.size()) + missing_bytes;
  }
};

class LineReader {
 public:
  // Of a line longer than 2 * `part_bytes` at least so many bytes are kept of each end, and of every other all.
  explicit LineReader(size_t part_bytes) : part_bytes_(part_bytes) {}

  // Calls `on_line(LineView)` for every line that has ended; the views hold until it returns. What is given does not
  // depend on how the text was cut into pieces (at character boundaries).
  template <typename OnLine>
  void add(std::string_view text, OnLine&& on_line) {
    size_t done = 0;
    for (size_t block = 0; block < text.size(); block += kMaskBytes) {
      for (uint64_t newlines = newline_mask(text, block); newlines != 0; newlines &= newlines - 1) {
        const size_t newline = block + static_cast<size_t>(std::countr_zero(newlines));
        end_line(text.substr(done, newline - done), on_line);
        done = newline + 1;
      }
    }
    extend(text.substr(done));
  }

  // The last line, which has no newline; empty if the text ended with one.
  LineView open_line();

 private:
  template <typename OnLine>
  void end_line(std::string_view rest, OnLine&& on_line) {
    if (open_.empty() && rest.size() <= 2 * part_bytes_) {
      on_line(LineView{rest, {}, 0, 0});
      return;
    }
    extend(rest);
    on_line(open_line());
    forget();
  }
  void extend(std::string_view text);
  void shorten();
  void forget();

  size_t part_bytes_;
  std::string open_;
  size_t cut_at_ = 0;  // in open_; 0: nothing is missing
  int64_t missing_bytes_ = 0;
  int64_t missing_characters_ = 0;
};

}  // namespace bashcell::supervisor
