#pragma once
// How bashcell-init and the workspace come into a cell: bind mounts where the engine sees this machine's files, else
// volumes of the engine's, which are filled through its archive API.

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "engine/cell_spec.h"
#include "engine/docker/engine_api.h"

namespace bashcell::engine::docker {

// HostConfig.Mounts. `run_folder`: a folder as ensure_run_folder() makes it.
nlohmann::json bind_supervisor(const CellSpec& spec, const std::string& run_folder);
// With what is protected in it.
nlohmann::json bind_workspace(const CellSpec& spec);
// The toolbox and the shelf, where there are any. Below the run folder, so only with that one bound, too.
nlohmann::json bind_host_folders(const CellSpec& spec);
nlohmann::json bind_control_socket(const std::string& path);

// Makes and fills the volume that holds this bashcell-init, for every cell that uses the same one; and makes the
// workspace volume, when one is asked for and missing, for the cell's user. Through a container that is made for that
// and never started. Returns the mounts of these volumes. Blocks.
struct VolumeOptions {
  bool supervisor = true;  // else only the workspace's
  std::string name;        // of the container in between
  std::string host;        // for its label
};
base::Result<nlohmann::json> fill_volumes(EngineApi& api, const CellSpec& spec, const VolumeOptions& options);

// As Go names it (amd64, arm64); empty when the file is no ELF program of a known architecture (elf(5)).
std::string architecture_of_program(const std::string& path);

// True if the engine refused a container because it does not find a bind mount's source.
bool is_missing_source(const Answer& answer);

}  // namespace bashcell::engine::docker
