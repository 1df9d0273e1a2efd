#pragma once
// What a fork of PID 1 does before it becomes something else: a runner, or a program in the cell.
//
// Everything here is for the time between fork() and execve() or _exit(), in a process with one thread.

#include <sys/types.h>

#include <functional>
#include <initializer_list>

namespace bashcell::supervisor {

// Above the descriptors of scripts, and below the numbers at which a fresh bash finds its own (shell.h).
inline constexpr int kFirstPrivateFd = 200;

// Moves the descriptors out of the way, close-on-exec (one below 0 stays as it is), and closes all others, so that no
// other call's pipe is held open.
void keep_only(std::initializer_list<int*> fds);

// Those that ask a process to end, or to stop.
void ignore_polite_signals();

// A subreaper whom only SIGKILL and SIGSTOP reach.
void become_runner();
// Until nothing is left below this process; then it ends.
[[noreturn]] void reap_all(const std::function<void(pid_t pid, int wait_status)>& on_end);

// A session of its own, default signals, nothing masked: nothing of PID 1 is left over.
void become_plain_process();
// Makes `source` the descriptor `target`, to be inherited.
void place(int source, int target);

}  // namespace bashcell::supervisor
