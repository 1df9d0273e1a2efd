#pragma once
// What a plain script runs: which program a command starts, and which one command a whole script comes down to. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "script/words.h"

namespace bashcell::tools {

// A command's words without what is wrapped around it: assignments, `time`, `timeout 60`, `env A=b`, `nice`, `stdbuf`,
// `command`, `uv run`, `poetry run`, `npx`, `python3 -m` and the like; the program without its folder. Empty when that
// is not plain.
std::vector<std::string> unwrapped(const script::SimpleCommand& command);

// The one command that a script is, unwrapped, with single blanks between its words. What prepares for it (cd, export,
// set, assignments, source ..., joined by ; or && or new lines) may stand before it, `| cat` after it, and 2>&1 with
// it, and parentheses around all of it. Nothing when there is more to the script, when its output goes elsewhere, or
// when it is not plain.
std::optional<std::string> only_command(std::string_view script);

}  // namespace bashcell::tools
