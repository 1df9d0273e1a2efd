#pragma once
// How far a call's output can be taken for what its programs say of themselves: a script that reads a log or a source
// prints the same words, and means nothing by them. Pure; in doubt the script is one that runs programs.

#include <string_view>
#include <vector>

namespace bashcell::heal {

struct ScriptTrust {
  // It runs more than what prints files and its own arguments (cat, grep, head, echo, git log, ...).
  bool runs_programs = false;
  // Its exit code may be another than that of what failed: it has more than one command, or a pipe.
  bool hides_failures = false;
  // It has a program that starts shells and goes on whatever comes of them: make, python3, perl, sh, ...
  bool starts_shells = false;
  // The first words of its commands, for scripts of any length the first ones.
  std::vector<std::string_view> commands;

  bool has_command(std::string_view name) const;
};

// The result refers to `script`.
ScriptTrust trust_of(std::string_view script);

}  // namespace bashcell::heal
