#pragma once
// What programs of known packages need to work from the toolbox, away from where they were made for. Pure.

#include <string>

namespace bashcell::heal {

// packages/settings.json as packages/relocate.sh reads it: a line for each variable and each change. No line has a
// single quote. Throws nothing: the table is part of the program.
std::string install_settings();

}  // namespace bashcell::heal
