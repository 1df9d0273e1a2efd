#pragma once
// A script taken apart into pipelines of simple commands, as far as that can be done without being bash. Pure.
//
// It is for scripts that are plain: what could mean something else than it seems gives nothing at all. So whoever asks
// may trust what is there, and must have an answer for nothing.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::script {

struct SimpleCommand {
  std::vector<std::string> words;         // without their quotes; $NAME as it is written
  std::vector<std::string> redirections;  // without blanks: "2>&1", ">file"
};

// What stands before a pipeline.
enum class Joint { kNext, kAnd, kOr };  // ; or a new line, &&, ||

struct Pipeline {
  Joint joint = Joint::kNext;
  std::vector<SimpleCommand> stages;
};

// Nothing for: loops and other compound commands, functions, groups, subshells, background jobs, heredocs, $(...),
// `...`,
// <(...), $'...', ${...} that is more than a name, quotes that do not end, and what bash would refuse.
std::optional<std::vector<Pipeline>> split_script(std::string_view script);

}  // namespace bashcell::script
