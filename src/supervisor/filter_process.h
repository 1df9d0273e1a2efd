#pragma once
// The processes of one filter: cleaned output -> filter -> what the reply gets, below a runner of their own.
//
// The filter is a bash script of ours or of the user's configuration, run as the scripts are, with their rights and in
// their cell, but with a clean environment, no shell state, no stderr, and limited memory. It can be killed by any
// other script; then it has failed.

#include <string>
#include <string_view>

#include "base/result.h"
#include "supervisor/runner.h"

namespace bashcell::supervisor {

// What its runner reports: each kind at most once, in any order.
struct FilterReport {
  enum Kind : int { kNotStarted, kCleanerEnded, kFilterEnded };
  int kind = kNotStarted;
  int value = 0;  // errno | wait status: 0 is success
};

// Of the result, `pid`, `reports` and `output` are set. `spill` is read from its start.
base::Result<Runner> start_filter(const ShellPaths& paths, const base::UniqueFd& spill, std::string_view filter);

}  // namespace bashcell::supervisor
