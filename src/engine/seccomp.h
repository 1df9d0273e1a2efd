#pragma once
// The system calls a cell may make: schemas/seccomp.json, an allow list in OCI form, built into the program.

#include <nlohmann/json.hpp>

namespace bashcell::engine {

nlohmann::json seccomp_profile();

// True if this kernel can filter system calls (CONFIG_SECCOMP_FILTER).
bool seccomp_supported();

}  // namespace bashcell::engine
