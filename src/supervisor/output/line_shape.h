#pragma once
// What a line of output looks like, whatever its numbers and names are; and whether it speaks of trouble.
//
// Two lines have the same shape when they differ only in numbers, words with digits in them (ids, hashes, times,
// addresses), paths, and the width of blanks. Pure; one pass over the line.

#include <cstdint>
#include <string_view>

namespace bashcell::supervisor {

// From what can be left out to what must be seen.
enum class Weight : uint8_t { kPlain, kWarning, kError };

struct LineShape {
  uint64_t hash = 0;
  Weight weight = Weight::kPlain;
};

// By words: error, failed, fatal, Traceback, ValueError, panicked, cannot, denied ... Words in names (error.c,
// on_error, /err/), and words that are denied ("0 errors", "no error", "failed: 0"), do not count.
LineShape shape_of(std::string_view line);

}  // namespace bashcell::supervisor
