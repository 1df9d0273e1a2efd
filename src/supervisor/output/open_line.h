#pragma once
// The line a terminal is still writing: text, and a cursor that may be anywhere in it.
//
// Knows nothing of bytes that are not text; Cleaner tells it what to do. Columns are code points: a wide character is
// one column, and a combining mark is one, too.

#include <cstddef>
#include <string>
#include <string_view>

namespace bashcell::supervisor {

class OpenLine {
 public:
  explicit OpenLine(std::string hidden_prefix);

  // True where the next character is appended to the line: no `\r` is being redrawn.
  bool at_end() const { return cursor_ == text_.size() && gap_ == 0; }
  bool empty() const { return text_.empty() && gap_ == 0 && at_start_; }
  const std::string& hidden_prefix() const { return hidden_prefix_; }

  // Puts one character at the cursor. `clean` gets the beginning of a line that has become too long to hold.
  void put(std::string_view character, std::string& clean);
  // The same for many characters when at_end(), at any length.
  void append(std::string_view text, std::string& clean);

  void carriage_return();
  void backspace();
  void erase_to_end();
  void erase_to_start();  // the character at the cursor included, as terminals do
  void erase_all();

  // The line is complete: it goes to `clean` without a newline, and the next one is open.
  void end(std::string& clean);

 private:
  void give(std::string_view text, bool complete, std::string& clean);
  void give_what_is_too_long(std::string& clean);
  void pad();

  std::string hidden_prefix_;
  size_t max_bytes_;
  std::string text_;
  size_t cursor_ = 0;     // byte offset in text_
  size_t gap_ = 0;        // columns between the end of text_ and the cursor, after an erase
  bool at_start_ = true;  // nothing of this line has been given away
};

}  // namespace bashcell::supervisor
