#pragma once
// Whether a line speaks of trouble: by words, in whatever a program prints.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "supervisor/output/masked_text.h"

namespace bashcell::supervisor {

// From what can be left out to what must be seen.
enum class Weight : uint8_t { kPlain, kWarning, kError };

// By words: error, failed, fatal, Traceback, ValueError, panicked, cannot, denied ... Words in names (error.c,
// on_error, /err/), and words that are denied ("0 errors", "no error", "failed: 0"), do not count.
//
// `first` and `last`: where the first and the last of the suspects in it end, if these are known.
Weight weight_of(MaskedLine& line, size_t first = 0, size_t last = std::string_view::npos);

// Where all words end that may say so, and some others, in order; then kNoSuspect. A line without any of them is plain:
// nearly all are, and a whole text is searched in a fraction of the time that its lines take.
inline constexpr uint32_t kNoSuspect = std::numeric_limits<uint32_t>::max();
void find_suspects(const MaskedText& text, std::vector<uint32_t>& ends);

}  // namespace bashcell::supervisor
