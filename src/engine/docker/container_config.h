#pragma once
// A cell as the Engine API's POST /containers/create takes it. Pure.

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/cell_spec.h"
#include "engine/docker/engine_api.h"

namespace bashcell::engine::docker {

// What a label of every container of ours says, and what the sweep asks for.
inline constexpr const char* kCellLabel = "io.github.bashcell.cell";  // = the cell's name
inline constexpr const char* kHostLabel = "io.github.bashcell.host";  // = whose process ids the name speaks of
inline constexpr const char* kVolumeLabel = "io.github.bashcell.volume";

struct ContainerPlan {
  std::string name;
  std::string host;             // for kHostLabel
  bool control_socket = false;  // one is mounted at kCellControl
  nlohmann::json mounts;        // of workspace and bashcell-init: HostConfig.Mounts (delivery.h)
  std::string seccomp;          // the profile itself (Docker), or its path on the engine's machine (Podman)
  // The most that can be asked for.
  uint64_t open_files = kOpenFilesHard;
  uint64_t processes = 16'384;  // of the user, in all containers together
};

// The same hardening as an oci cell's (oci/bundle.h). The environment is the image's, with ours on top; of the image's
// PATH nothing is lost.
nlohmann::json make_container(const CellSpec& spec, const ContainerPlan& plan, const ImageFacts& image,
                              const EngineFacts& engine);

}  // namespace bashcell::engine::docker
