#pragma once
// `cell save` and its like: scripts kept as commands, for later calls and later conversations.
//
//   cell save NAME                      the last script of the conversation, if it ended with 0
//   cell save NAME FILE [ARGUMENT...]   runs FILE here, and if it ends with 0, keeps what was run
//   cell list                           what is kept: name, when, first comment
//   cell show NAME                      the script
//   cell rm NAME                        removes it
//
// The host keeps them; the cell sees them read-only (wire/shelf_folder.h). What a name must not be, and what proves a
// script, is checked here where it can be seen, and by the host once more where that sees it, too.

#include <string>
#include <string_view>
#include <vector>

namespace bashcell::supervisor {

bool is_shelf_verb(std::string_view verb);

// `arguments`: the verb and what comes after it. Blocks until FILE has ended and the host has answered. Exit status: 0;
// 1 when it is refused or not there, with a sentence on stderr; 2 for wrong arguments.
int shelf_command(const std::vector<std::string>& arguments, const std::string& run_folder);

}  // namespace bashcell::supervisor
