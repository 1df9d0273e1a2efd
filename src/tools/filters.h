#pragma once
// Which filter the output of a script goes through, if it is over the budget. Pure.
//
// A filter is data: patterns of commands and a bash script from stdin to stdout. Ours are filters/*.json; users add
// their own. It runs in the cell (supervisor/filter_process.h), never here.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::tools {

struct Filter {
  std::string name;
  std::vector<std::string> commands;  // POSIX extended regular expressions, matched from the start to a word's end
  std::string text;
};

// The first filter, of `extra` and then of ours, one of whose patterns matches the one command that the script is
// (script_command.h). Nothing for any other script.
std::optional<Filter> filter_for(std::string_view script, const std::vector<Filter>& extra);

// Ours, in their order.
std::vector<Filter> built_in_filters();

}  // namespace bashcell::tools
