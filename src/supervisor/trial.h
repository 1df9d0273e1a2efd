#pragma once
// Runs a script as the command that it may become.

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace bashcell::supervisor {

// What a file holds as a command: with "#!" in front, which is bash's where it names none. An error: it cannot be read,
// is no text, or longer than may be saved.
base::Result<std::string> script_of_file(const std::string& path);

struct Trial {
  int exit = 0;  // 128 and more: it died of a signal
  base::Duration wall{0};
};

// From a file of its own below /tmp, called `name`, so that what was read is what runs, whatever becomes of the file it
// was read from. An ordinary child: stdin, stdout, stderr, directory and environment are the caller's. Blocks until it
// ends. An error: it cannot be run at all.
base::Result<Trial> try_script(const std::string& name, const std::string& script,
                               const std::vector<std::string>& arguments);

}  // namespace bashcell::supervisor
