#pragma once
// Which line of a program's output says that something is missing, and what. Pure; the line is untrusted.

#include <optional>
#include <string_view>

#include "heal/need.h"

namespace bashcell::heal {

// What is known of the call when a line is read.
struct LineContext {
  std::string_view script;  // its first part
  bool runs_programs =
      false;  // an earlier line, or the script, shows a program that starts others (Python's subprocess)
};

// The name in the result is one that is_command_name or is_module_name accepts; whether a table knows it is not asked.
// Nothing for a missing file, and for `type NAME`, which only asked.
std::optional<Need> miss_in_line(std::string_view line, const LineContext& context);

}  // namespace bashcell::heal
