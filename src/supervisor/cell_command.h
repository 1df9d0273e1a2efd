#pragma once
// `cell`: what scripts call in a cell. The same program as PID 1, but an ordinary process of the script's, with no
// rights of its own.
//
//   cell out                     the outputs that are kept, a line each
//   cell out [N]                 output N, or the newest, as it was written
//   cell out [N] --lines A-B     of it these lines, counted from 1; A- and -B and A, too
//   cell out [N] --grep RE       of it the lines that match an extended regular expression, with their numbers
//   cell clean                   stdin as plain text (output/clean.h)
//   cell reset                   the next call starts with a clean shell (state.h)
//   cell heal NAME               gets a command that is missing (heal_command.h)
//   cell save NAME               and list, show, rm: scripts kept as commands (shelf_command.h)
//   cell lock FILE -- COMMAND    runs a command while a file is locked (lock_command.h)
//   cell write|append FILE       puts stdin into a file, for all readers at once (write_command.h)

#include <string>
#include <vector>

namespace bashcell::supervisor {

struct CellPlaces {
  std::string outputs = "/tmp/.cell/out";
  std::string run_folder = "/run/cell";
};

// `arguments` without the program's name. Writes to descriptors 1 and 2. Exit status:
// 0; 1 when there is no such output or no line; 2 for wrong arguments; for commands with a header of their own, as said
// there.
int cell_command(const std::vector<std::string>& arguments, const CellPlaces& places);

}  // namespace bashcell::supervisor
