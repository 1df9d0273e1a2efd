#pragma once
// What `bashcell doctor` says about one Docker or Podman engine.

#include <vector>

#include "engine/docker/engine_api.h"
#include "engine/engine.h"

namespace bashcell::engine::docker {

// Only asks; starts and pulls nothing. Blocks.
std::vector<Finding> examine_engine(EngineApi& api, const CellSpec& spec);

}  // namespace bashcell::engine::docker
