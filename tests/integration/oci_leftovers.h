#pragma once
// What of a cell of the oci engine is left on the machine: processes, runtime state, control groups. The bundle, a
// small file, may stay until the next start when a server is killed in the very moment of a start.

#include <sys/types.h>

#include <functional>
#include <string>

namespace bashcell {

struct CellProcesses {
  pid_t runtime = -1;     // the `run` that waits for the cell's end
  pid_t supervisor = -1;  // PID 1 of the cell, as the host sees it
};

CellProcesses processes_of(const std::string& cell_name);
bool has_state(const std::string& cell_name, const std::string& private_folder);

// True as soon as nothing of the cell is left; false if something still is after 10 s.
bool eventually_gone(const std::string& cell_name, const CellProcesses& processes, const std::string& private_folder);

// Looks every 5 ms until `fact` holds, at most for 10 s.
bool wait_for(const std::function<bool()>& fact);

// Zombies do not count: their parent may take its time.
bool runs(pid_t pid);

size_t open_descriptors();

}  // namespace bashcell
