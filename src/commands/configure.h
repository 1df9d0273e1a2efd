#pragma once
// `bashcell config CLIENT`: prints what a client wants to be told to start this program, or writes it into the client's
// file. The snippet goes to stdout and nothing else; where it belongs to stderr.
// Exit status: 0; 1 when it could not be written; 2 for a client that is not known.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int configure(const Invocation& invocation, base::UniqueFd output);

}  // namespace bashcell::commands
