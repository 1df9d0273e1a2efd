#pragma once
// What works on this machine, and each limit as measured in a cell that is started for it.
// Exit status: 0 only if calls would work.

#include "base/unique_fd.h"
#include "config.h"

namespace bashcell::commands {

int doctor(const Invocation& invocation, base::UniqueFd output);

}  // namespace bashcell::commands
