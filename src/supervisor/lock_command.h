#pragma once
// `cell lock FILE [--wait S] -- COMMAND [ARGS]`: runs a command while FILE is locked (base/file_lock.h).
//
// Works between all cells, engines and programs that see the file, flock(1) among them. The lock is not passed on: what
// the command leaves in the background does not hold it. A command whose `cell lock` is killed is killed with it, so
// that it never goes on without its lock.

#include <string>
#include <vector>

#include "base/clock.h"

namespace bashcell::supervisor {

// `arguments` without "cell lock". Returns the command's exit status, 128 + the signal that ended it, 126 or 127 when
// it cannot be run; kLockBusy when others held the lock all the time, 1 when there can be none, 2 for wrong arguments:
// in these nothing has run, and stderr says why.
int lock_command(const std::vector<std::string>& arguments);

// "cell: counter is locked by somebody else, for 10 s by now; ".
std::string busy_text(const std::string& file, base::Duration waited);

}  // namespace bashcell::supervisor
