#pragma once
// Which names a saved script may have. Pure; what is on PATH and in the package table, the cell and the host know.

#include <optional>
#include <string>
#include <string_view>

namespace bashcell::wire {

inline constexpr size_t kMaxShelfName = 64;

// [a-z0-9][a-z0-9._-]{0,63}
bool is_shelf_name(std::string_view name);

// Why no script may be saved under that name, and what is allowed: it is none, or a word of bash's own (a builtin, a
// keyword), or `cell`. A sentence without its full stop.
std::optional<std::string> shelf_name_problem(std::string_view name);

// The sentence for a name that is a command already.
std::string hides_a_command(std::string_view name);

}  // namespace bashcell::wire
