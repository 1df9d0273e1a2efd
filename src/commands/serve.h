#pragma once
// The MCP server over stdin and `output`, until its input ends or a signal comes.
// Exit status: 0 after the end of input or a signal; 1 when the output could not be written.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int serve(const Config& config, base::UniqueFd output);

}  // namespace bashcell::commands
