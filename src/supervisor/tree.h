#pragma once
// All processes below one, found through /proc (the ppid chain), and the ways to stop and kill them.
//
// Used by PID 1 on runners. A runner is a child subreaper, so nothing that a call started can leave its tree: setsid,
// double fork and daemons included (prctl(2), PR_SET_CHILD_SUBREAPER, Linux 3.4).

#include <sys/types.h>

#include <vector>

#include "base/clock.h"

namespace bashcell::supervisor {

// Descendants of `root`, without it. A snapshot: what is forked meanwhile is missed.
std::vector<pid_t> descendants(pid_t root);

// 0 when it is gone.
pid_t parent(pid_t process);

// Direct children only.
std::vector<pid_t> children(pid_t parent);

// Asks everything below `root` to end: SIGTERM, and SIGCONT so that stopped ones hear it. Returns how many there were.
int terminate_tree(pid_t root);

// Stops every descendant until a pass finds no new one (so that none can fork past us), then kills them all.
// One round; repeat until `root`, which reaps them, has ended.
void kill_tree(pid_t root);
inline constexpr base::Duration kKillRound{5};  // from one to the next

// Kills and reaps every child of this process, with what is below it. Blocks until all are gone, at most for `limit`.
void kill_children(base::Duration limit);

}  // namespace bashcell::supervisor
