#pragma once
// Turns the raw bytes of a terminal-minded program into plain lines of text, as they come.
//
// What comes out is valid UTF-8 without control characters but newline and tab. Within the open line it behaves as a
// terminal: `\r` goes to column 0 and later characters overwrite, `\b` takes back the previous character (in the middle
// of a redrawn line it moves left), CSI K erases, CSI 1 G is `\r`. All other escape sequences go, with their payload;
// what they would have shown stays. Each maximal subpart of invalid UTF-8 becomes U+FFFD.
//
// Two rules protect the reader: a line that begins with `[cell:` is indented by one space, since only bashcell writes
// status lines, and the prefix that bashcell puts before line 1 of a script (bash quotes it in syntax errors) is
// removed.
//
// The result does not depend on how the input was cut into pieces. Memory: the open line, up to
// 4 KB of it; what came before in a longer line is final.

#include <cstddef>
#include <string>
#include <string_view>

#include "supervisor/output/escape.h"
#include "supervisor/output/open_line.h"

namespace bashcell::supervisor {

class Cleaner {
 public:
  // `hidden_prefix` is printable text of one line; empty: nothing is removed.
  explicit Cleaner(std::string hidden_prefix = {});

  // Appends to `clean` what has become final: whole lines with their newline, and parts of very long ones. Each call
  // appends whole characters, at most three bytes for each byte of `raw` on top of what was held back.
  void add(std::string_view raw, std::string& clean);

  // Appends what was held back. After this the cleaner is as new.
  void finish(std::string& clean);

 private:
  const char* add_text(const char* at, const char* end, std::string& clean);
  const char* add_encoded(const char* at, const char* end, std::string& clean);
  void add_character(std::string_view character, char32_t code_point, std::string& clean);
  void add_ascii(char c, std::string& clean);
  void apply(EscapeParser::Action action);
  void end_line(std::string& clean);

  OpenLine line_;
  EscapeParser escape_;
  std::string partial_;  // the first bytes of a character whose rest has not come yet
};

}  // namespace bashcell::supervisor
