#pragma once
// What text costs a client: UTF-16 code units inside a JSON string, as nlohmann::json::dump writes it.
//
// Clients count and cut results in JavaScript strings of the JSON they got. The other half of what a reply costs is in
// token_estimate.h; budget.h has both.

#include <cstddef>
#include <string_view>

namespace bashcell::base {

// `"`, `\`, newline, tab and the other short escapes cost 2, further control bytes 6 (\u00XX), characters above U+FFFF
// 2, all others 1. The text must be valid UTF-8; it may be cut into pieces at character boundaries.
size_t json_cost(std::string_view text);

}  // namespace bashcell::base
