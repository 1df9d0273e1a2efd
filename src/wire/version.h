#pragma once
// The version of the two programs. They are built together and speak one wire format, so each refuses any other.

#include <string_view>

namespace bashcell::wire {

inline constexpr std::string_view kVersion = BASHCELL_VERSION;

}  // namespace bashcell::wire
