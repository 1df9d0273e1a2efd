#pragma once
// Did a script fail before it did anything? Only then may a repaired one be run in its place. Pure; in doubt: no.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bashcell::heal {

// A script that came to its own end.
struct FailedRun {
  std::string script;
  int64_t code = 0;    // its exit code, not 0
  std::string output;  // all of it: when some was left out, the script did something
};

enum class Failure {
  kNotRead,       // bash could not read its first complete command
  kNotFound,      // it is a single command, and there is none of that name
  kOptionRefused  // it is a single command, which refused its options and does nothing before it reads them
};

std::optional<Failure> repairable(const FailedRun& run);

}  // namespace bashcell::heal
