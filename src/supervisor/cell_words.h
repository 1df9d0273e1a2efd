#pragma once
// What the commands of `cell` have in common: how they end, and how they read what they are told.

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace bashcell::supervisor {

inline constexpr int kNotDone = 1;
inline constexpr int kWrongUse = 2;
inline constexpr int kLockBusy = 75;    // EX_TEMPFAIL of sysexits(3)
inline constexpr int kCannotRun = 126;  // these two as in bash
inline constexpr int kNotFound = 127;

// Says "cell: WHY" on stderr. Returns `status`.
int fail(int status, const std::string& why);

// A child's end as bash tells it: its exit code, or 128 and the signal. `status`: of waitpid(2).
int shell_status(int status);

// Reads `--wait SECONDS`, with a fraction, 0 for one try, into `wait`, and gives every other word to `take`, which
// returns what is wrong with it, or nothing. Returns the first thing that is wrong, and stops there.
std::string read_words(const std::vector<std::string>& words, base::Duration& wait,
                       const std::function<std::string(const std::string&)>& take);

}  // namespace bashcell::supervisor
