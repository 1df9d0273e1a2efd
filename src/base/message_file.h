#pragma once
// Where a helper program may write what it has to say: a file in memory that holds the first 64 KB and refuses more, so
// that it is neither held up by a full pipe that nobody reads nor fills the memory.

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::base {

inline constexpr size_t kMaxMessageBytes = size_t{64} * 1024;

Result<UniqueFd> make_message_file();

// What has been written to it so far, up to the first NUL.
std::string read_messages(const UniqueFd& file);

}  // namespace bashcell::base
