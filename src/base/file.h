#pragma once
// Small whole files: /proc, /sys, configuration. Not for data of unknown size.

#include <string>
#include <string_view>

#include "base/result.h"

namespace bashcell::base {

// The first `limit` bytes of the file; works for /proc files, whose size is unknown. Errors name the path.
Result<std::string> read_file(const std::string& path, size_t limit = 1 << 20);

// Creates or replaces the file by rename, mode as given: a reader sees the old whole or the new whole.
Result<void> write_file(const std::string& path, std::string_view content, unsigned mode = 0644);

// Without leading and trailing blanks and newlines.
std::string_view trimmed(std::string_view text);

}  // namespace bashcell::base
