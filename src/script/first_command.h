#pragma once
// How far the first complete command of a script reaches: what bash reads before it runs anything. Pure.
//
// bash reads, and then runs, one complete command after the other; a line with several commands is one. So when it says
// that it cannot read line 3, what is before that line has been run, unless it belongs to the same command.

#include <cstddef>
#include <string_view>

namespace bashcell::script {

struct FirstCommand {
  // At the end of that line, counted from 1, bash may have had a complete command to run; never before it. Where that
  // cannot be told, it is the line of the doubt. 0: the script holds no command.
  size_t last_line = 0;
  // The script ends inside it: in quotes, a substitution or a loop, or after an operator.
  bool open_at_end = false;
};

FirstCommand first_command(std::string_view script);

}  // namespace bashcell::script
