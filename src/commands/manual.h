#pragma once
// The manual page: docs/bashcell.1.in with the options as schemas/config.json has them.

#include <string>

namespace bashcell::commands {

// In roff, for man(1).
std::string manual();

}  // namespace bashcell::commands
