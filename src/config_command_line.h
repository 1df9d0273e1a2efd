#pragma once
// The command line taken apart: which command, what it works on, which options were given. Values are checked later.

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config_options.h"

namespace bashcell {

struct CommandLine {
  std::vector<std::string> words;                           // the command and what it works on
  std::vector<std::pair<std::string, std::string>> values;  // option name and text
  std::string config_file;                                  // --config; empty when not given
  bool help = false;
  bool version = false;
};

base::Result<CommandLine> parse_command_line(const std::vector<Option>& options,
                                             const std::vector<std::string>& arguments);

}  // namespace bashcell
