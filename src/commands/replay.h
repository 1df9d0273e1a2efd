#pragma once
// Plays a recorded conversation against a server started for it, and compares its answers.
// Exit status: 0 when all of it came back as recorded.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int replay(const Invocation& invocation, base::UniqueFd output);

}  // namespace bashcell::commands
