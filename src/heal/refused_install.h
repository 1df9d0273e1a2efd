#pragma once
// A script that wants to install packages where there is no root: what to call instead. Pure.

#include <string>
#include <string_view>

#include "heal/package_table.h"

namespace bashcell::heal {

// The hint that there is no root in a cell, with the names of the commands that the script asks a package manager for,
// as far as `table` has them: "apt-get install -y ripgrep" names rg. `uid` as for no_root().
std::string hint_for_refused_install(std::string_view script, int uid, const PackageTable& table);

}  // namespace bashcell::heal
