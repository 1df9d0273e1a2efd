#pragma once
// Standard output is sacred: nothing but what a command says on purpose may reach it.

#include "base/unique_fd.h"

namespace bashcell::commands {

// Moves standard output to a private close-on-exec descriptor and points descriptor 1 at stderr, so that no library and
// no child can write there. Standard descriptors that were closed are opened on /dev/null first, or the next file
// opened would take their number. Call it before anything else; also makes a write to a closed pipe an error, not a
// signal.
base::UniqueFd claim_standard_output();

}  // namespace bashcell::commands
