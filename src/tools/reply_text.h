#pragma once
// The last check on text that came out of a cell, before it goes to a client. Pure.

#include <string>
#include <string_view>

#include "base/budget.h"

namespace bashcell::tools {

// `output`, then `status` as the last line (none when empty). Output without any text becomes "(no output)" when there
// is no status. Guarantees what render.h says of the result; well-behaved output passes through unchanged.
std::string reply_text(std::string_view output, std::string_view status, const base::Meter& meter);

// Text for the inside of a status line: one line, no control characters, valid UTF-8, at most `max_bytes`.
std::string one_line(std::string_view text, size_t max_bytes);

}  // namespace bashcell::tools
