#pragma once
// What our times are compared with: a bare bash outside any cell, started by this very program.

#include <string>

namespace bashcell::bench {

// Runs `/bin/bash -c SCRIPT` with the environment that scripts have in a cell, reads its output to the end and reaps
// it. Returns the output.
std::string bare_bash(const std::string& script);

}  // namespace bashcell::bench
