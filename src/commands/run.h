#pragma once
// One script in a fresh cell: prints the reply as a model reads it.
// Exit status: the script's own, 124 when it timed out, 125 when it could not run.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int run(const Invocation& invocation, base::UniqueFd output);

}  // namespace bashcell::commands
