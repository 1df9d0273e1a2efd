#pragma once
// `bashcell shelf`: what is on the shelf of a workspace, or of the user.
// Exit status: 0; 1 when something was not there or could not be done; 2 for wrong words.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int shelf(const Invocation& invocation, base::UniqueFd output);

}  // namespace bashcell::commands
