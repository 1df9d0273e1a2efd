#pragma once
// Which command the words of a command line name, and what it is to work on.

#include "base/result.h"
#include "config.h"
#include "config_command_line.h"

namespace bashcell {

// Sets `command`, `operand` and `subject`. An error is one line that says what is wrong and what there is.
base::Result<void> choose_command(Invocation& invocation, const CommandLine& line);

}  // namespace bashcell
