#pragma once
// Standard output is sacred: nothing but what a command says on purpose may reach it.

#include <string>

#include "base/unique_fd.h"

namespace bashcell::commands {

// Moves standard output to a private close-on-exec descriptor and points descriptor 1 at stderr, so that no library and
// no child can write there. Standard descriptors that were closed are opened on /dev/null first, or the next file
// opened would take their number. Call it before anything else; also makes a write to a closed pipe an error, not a
// signal.
base::UniqueFd claim_standard_output();

// Says on stderr why nothing came of it, as "bashcell: WHY"; returns `status`, for the command to end with.
int fail(const std::string& why, int status = 1);

}  // namespace bashcell::commands
