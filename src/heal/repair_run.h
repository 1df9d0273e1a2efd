#pragma once
// Between a call's report and the Repairer. Pure.

#include <optional>
#include <string>
#include <utility>

#include "heal/repairable.h"
#include "sandbox/sandbox.h"

namespace bashcell::heal {

// For repairable(): nothing unless the script came to its own end with an exit code other than 0, and all of its output
// is there. `script` is as it was sent to the cell.
std::optional<FailedRun> failed_run(const std::string& script, const sandbox::CallReport& report);

// A script that has bash read `script` without running any of it, from which reading_result() tells whether it can. It
// changes nothing of the shell's state.
std::string reading_script(const std::string& script);
// Whether bash can read it, and what it says if not (one line).
std::pair<bool, std::string> reading_result(const sandbox::CallReport& report);

}  // namespace bashcell::heal
