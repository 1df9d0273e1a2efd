#pragma once
// What text costs a reader of the reply: UTF-16 code units inside a JSON string, as nlohmann::json::dump writes it.
//
// Clients count and cut results in JavaScript strings of the JSON they got, so this is the unit of every budget here.

#include <cstddef>
#include <string_view>

namespace bashcell::supervisor {

// `"`, `\`, newline, tab and the other short escapes cost 2, further control bytes 6 (\u00XX), characters above U+FFFF
// 2, all others 1. The text must be valid UTF-8; it may be cut into pieces at character boundaries.
size_t json_cost(std::string_view text);

// The longest beginning, or end, of valid UTF-8 `text` that costs at most `max_cost`, in whole characters.
std::string_view json_prefix(std::string_view text, size_t max_cost);
std::string_view json_suffix(std::string_view text, size_t max_cost);

}  // namespace bashcell::supervisor
