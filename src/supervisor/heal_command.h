#pragma once
// `cell heal`: gets a command that is missing in this cell.
//
//   cell heal NAME                          installs it; what was done, or why not, on stderr
//   cell heal --exec BEGINNING NAME ARG...  becomes that command when it can be had; else says what bash says of a
//                                           command that is missing, after BEGINNING ("script: line 3: "), and 127

#include <string>
#include <vector>

namespace bashcell::supervisor {

// `arguments`: what comes after `heal`. Blocks until the host has answered. Exit status: 0; 1 when it cannot be had; 2
// for wrong arguments; 126 and 127 as bash has them.
int heal_command(const std::vector<std::string>& arguments, const std::string& run_folder);

}  // namespace bashcell::supervisor
