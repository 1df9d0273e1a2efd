#pragma once
// The last line of a script's output so far, for somebody who waits for its end. Holds a few KB, and looks at what they
// say only when it is asked.

#include <string>
#include <string_view>

namespace bashcell::supervisor {

class LastLine {
 public:
  // The next raw bytes.
  void add(std::string_view raw);
  // The last line with any text in it, an unfinished one, too: cleaned as all output is, at most 200 characters of it.
  std::string text() const;

 private:
  std::string tail_;
  bool cut_ = false;  // what came before is gone
};

}  // namespace bashcell::supervisor
