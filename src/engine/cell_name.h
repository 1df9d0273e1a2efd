#pragma once
// The name of a cell carries its owner: bashcell-<pid>-<start_ticks>-<boot8>-<random8hex>.
//
// So whoever finds a runtime state, a bundle or a cgroup of that name knows whether the server it belonged to still
// runs, without any record file that could be lost or lie.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"

namespace bashcell::engine {

// A new name, unique also among the cells of one owner.
std::string make_cell_name(const base::ProcessIdentity& owner);

// What the cell calls itself: cell-<random8hex>. Programs that share a folder tell each other's lock files by host name
// and pid, and pids are small in every cell.
std::string host_name(std::string_view cell_name);

// The owner in a name of exactly that form; nothing for any other name, which is then somebody else's.
std::optional<base::ProcessIdentity> owner_of(std::string_view cell_name);

// True only for a name of our form whose owner is gone: what carries it is a leftover.
bool is_leftover(std::string_view cell_name);

// The leftovers among the entries of a folder, by name.
std::vector<std::string> leftovers_in(const std::string& folder);

}  // namespace bashcell::engine
