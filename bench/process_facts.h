#pragma once
// What /proc says about other processes.

#include <sys/types.h>

#include <string>
#include <vector>

namespace bashcell::bench {

// All processes that descend from `pid`, in no order.
std::vector<pid_t> descendants_of(pid_t pid);
// argv; empty for a process that is gone.
std::vector<std::string> arguments_of(pid_t pid);
// PID 1 of the cell of that server, as this machine numbers it. Throws when there is none.
pid_t supervisor_of(pid_t server);
// The server, what it started, and the processes of its cell with what keeps them for the engine (Docker: the shim).
std::vector<pid_t> processes_of_session(pid_t server);
// Its share of the memory that it has in common with others (PSS), in MB.
double proportional_mb(pid_t pid);
// VmRSS and VmHWM (the most it ever was, or since reset_peak()) in MB of 1,048,576 bytes.
double resident_mb(pid_t pid);
double peak_mb(pid_t pid);
void reset_peak(pid_t pid);
// User and system time so far, of all its threads.
double cpu_seconds(pid_t pid);

}  // namespace bashcell::bench
