#pragma once
// Which command the words of a command line name, and what it is to work on.

#include <string>
#include <vector>

#include "base/result.h"
#include "config.h"
#include "config_command_line.h"
#include "config_paths.h"

namespace bashcell {

// serve, run, ...
std::vector<std::string> command_names();

// Sets `command`, `operand` and `subject`. An error is one line that says what is wrong and what there is.
base::Result<void> choose_command(Invocation& invocation, const CommandLine& line);

// Of `config CLIENT ...`: takes out what only this command knows (--write, --windows, the first --), so that what is
// left is a command line as any other. Everything after -- is left alone.
std::vector<std::string> take_config_switches(Invocation& invocation, const std::vector<std::string>& arguments);

// The given options as arguments for a server that is started in another folder: paths are absolute.
std::vector<std::string> server_arguments(const CommandLine& line, const std::vector<Option>& options,
                                          const Environment& environment);

}  // namespace bashcell
