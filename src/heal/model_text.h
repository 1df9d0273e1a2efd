#pragma once
// The text in what models answer. Pure.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bashcell::heal {

// Of a content as all of the protocols have it: a string, a block {"type": "text", "text": ...}, or an array of blocks,
// whose texts are joined; blocks of other types are left out. Nothing: there is no text.
std::optional<std::string> content_text(const nlohmann::json& content);

}  // namespace bashcell::heal
