#pragma once
// What `bashcell doctor` says about this machine and the oci engine.

#include <string>
#include <vector>

#include "engine/engine.h"

namespace bashcell::engine::oci {

// Starts nothing but `RUNTIME --version`. `wanted_runtime` as in OciOptions, `private_folder` likewise.
std::vector<Finding> examine_machine(const CellSpec& spec, const std::string& wanted_runtime,
                                     const std::string& private_folder);

}  // namespace bashcell::engine::oci
