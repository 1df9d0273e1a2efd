#pragma once
// The first and the last lines of a stream in bounded memory, long lines with their middle cut out.
//
// How much is kept follows from the largest budget alone; which lines are shown is decided by trim, and a later choice
// of the lines that matter (errors, rare shapes) gets them here, where lines leave the store: nothing else sees every
// line.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::supervisor {

// One line, without its newline. When its middle is missing, `head` and `tail` are its ends; else `head` is all of it.
struct KeptLine {
  std::string_view head;
  std::string_view tail;
  int64_t missing_bytes = 0;
  int64_t missing_characters = 0;
};

// Lines in the order of the stream, each but the last with its newline.
class LineBuffer {
 public:
  struct Cut {
    size_t at = 0;  // offset in text where the middle of a line is missing
    int64_t bytes = 0;
    int64_t characters = 0;
  };

  // The line that begins, or the one that ends, at an offset of `text`.
  KeptLine line_at(size_t begin) const;
  KeptLine line_before(size_t end) const;

  std::string text;
  std::vector<Cut> cuts;  // by offset

 private:
  KeptLine line(size_t begin, size_t end) const;
};

class LineStore {
 public:
  // `max_line`: no line will be shown at more than this cost. `max_chars`: the largest budget.
  LineStore(size_t max_line, size_t max_chars);

  void add(std::string_view text);

  // After the last add(): the first lines, and the last ones. If all() they are the same buffer with every line.
  void close();
  bool all() const { return !dropped_; }
  const LineBuffer& first() const { return first_; }
  const LineBuffer& last() const { return dropped_ ? last_ : first_; }

 private:
  LineBuffer& open_buffer() { return first_full_ ? last_ : first_; }
  void append_short(std::string_view text);
  void append_long(std::string_view text);
  void shorten_open_line();
  void end_line();
  void forget_old_lines();

  size_t part_bytes_;  // kept of each end of a long line
  size_t first_bytes_;
  size_t last_bytes_;
  LineBuffer first_;
  LineBuffer last_;
  bool first_full_ = false;
  bool dropped_ = false;   // lines between first_ and last_ are gone
  size_t line_begin_ = 0;  // offset of the open line in open_buffer()
  bool long_ = false;      // the open line is over the limit
  LineBuffer::Cut cut_;    // of the open line, if long_
};

}  // namespace bashcell::supervisor
