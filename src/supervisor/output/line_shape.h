#pragma once
// What a line of output looks like, whatever its numbers and names are; and whether it speaks of trouble.
//
// Two lines have the same shape when they differ only in numbers, words with digits in them (ids, hashes, times,
// addresses), paths, and the width of blanks. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/output/trouble_words.h"

namespace bashcell::supervisor {

struct LineShape {
  uint64_t hash = 0;
  Weight weight = Weight::kPlain;
};

LineShape shape_of(std::string_view line);

// The same for many lines of a text, in their order: for less.
class LineShapes {
 public:
  // What lines will be asked for next. It must stay as it is until the next call, as those lines must that are not in
  // it.
  void begin(std::string_view text);
  LineShape shape_of(std::string_view line);

 private:
  void look_at(std::string_view line);

  std::string_view text_;
  MaskedText looked_at_;  // a part of it, or a line
  std::vector<uint32_t> suspects_{kNoSuspect};
  size_t next_suspect_ = 0;
  std::string spelled_;
};

}  // namespace bashcell::supervisor
