#pragma once
// Compares a message with a pattern. Matching is exact, also in the members an object has, except where the pattern
// holds an object with one of these as its only member:
//   {"$any": "TYPE"}   any value of that type: string number integer boolean object array null, or any
//   {"$re": "..."}     a string that matches as a whole (ECMAScript)
//   {"$bind": "NAME"}  any value the first time, and the same value wherever the name comes again

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace bashcell::rpc {

using Bindings = std::map<std::string, nlohmann::json>;

// Nothing when it matches, else the first difference: "result.content[0].text: expected ..., got ...". New names are
// added to `bindings`, also by a comparison that fails.
std::optional<std::string> difference(const nlohmann::json& pattern, const nlohmann::json& actual, Bindings& bindings);

// A misspelt matcher or a bad expression is an error, not a pattern that never matches.
base::Result<void> check_pattern(const nlohmann::json& pattern);

}  // namespace bashcell::rpc
