#pragma once
// Tells the machines apart that may share one engine: the process ids in cells' names (cell_name.h) mean something on
// one of them only, and within one pid namespace of it.

#include <string>

namespace bashcell::engine::docker {

// 16 hex digits, made of /etc/machine-id (hashed: it is confidential, machine-id(5)) and the pid namespace. Where there
// is no machine-id, of the boot id: then only cells of this boot are known again.
std::string host_key();

}  // namespace bashcell::engine::docker
