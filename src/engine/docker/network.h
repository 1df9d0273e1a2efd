#pragma once
// --network with an engine of Docker's kind: one of its networks, which must exist.

#include <string>

#include "base/result.h"
#include "engine/docker/engine_api.h"

namespace bashcell::engine::docker {

// Asks the engine. Refuses what would put a cell into the network of this machine or of another container. The error
// names the networks there are. Blocks.
base::Result<void> check_network(EngineApi& api, const std::string& network);

}  // namespace bashcell::engine::docker
