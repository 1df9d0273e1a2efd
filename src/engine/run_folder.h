#pragma once
// What is in /run/cell of every cell besides bashcell-init: the names under which it is called inside.

#include <array>
#include <string>

#include "base/result.h"

namespace bashcell::engine {

struct RunLink {
  const char* path;  // below /run/cell
  const char* target;
};

inline constexpr std::array kRunLinks = {
    RunLink{"script", "/proc/self/fd/250"},
    RunLink{"bin/cell", "../bashcell-init"},
    RunLink{"no-editor", "bashcell-init"},
};

// A folder on the host to be mounted there: the links, and empty files and folders on which bashcell-init, a control
// socket, a toolbox and a shelf are mounted. Made at `path` when it is missing, whole or not at all. Nothing of it is
// private; only its parent must be the caller's.
base::Result<void> ensure_run_folder(const std::string& path);

}  // namespace bashcell::engine
