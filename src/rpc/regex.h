#pragma once
// Regular expressions (ECMAScript) on texts of up to some hundred thousand characters, for transcripts. std::regex,
// kept in one file because it costs seconds to compile and recurses once or more per character.

#include <string>

#include "base/result.h"

namespace bashcell::rpc {

base::Result<void> check_regex(const std::string& expression);

// The expression must have been checked.
bool regex_matches(const std::string& expression, const std::string& whole_text);
bool regex_found(const std::string& expression, const std::string& text);

}  // namespace bashcell::rpc
