#pragma once
// The engines that a configuration leads to.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config.h"
#include "engine/engine.h"

namespace bashcell::commands {

// In the order in which they are tried; none of them is kAuto. What only one kind of engine understands (an image, a
// runtime) leaves only that one.
std::vector<EngineChoice> engine_order(const Config& config);

// Where the programs of cells come from: an image, or this machine (a root file system of its own among them). Of
// engines that are tried one after the other, the first that seems to be there decides.
enum class CellRoot { kMachine, kImage };
CellRoot root_of_cells(const Config& config);

// What a command wants of an engine when an image is missing.
struct EngineUse {
  bool pull = true;
  base::Duration patience{4'000};                        // of a start; the pull goes on after that
  std::function<void(const std::string&)> on_wait = {};  // told now and then during that time; on the starting thread
};

std::unique_ptr<engine::Engine> make_engine(const Config& config, const EngineUse& use = {});

// An engine of this machine on its own, for doctor.
struct FoundEngine {
  EngineChoice kind = EngineChoice::kOci;
  std::string title;                            // "oci", "docker at unix:///run/docker.sock"
  std::unique_ptr<engine::Engine> engine = {};  // none: there is nothing to examine, and `problem` says why
  std::string problem = {};
  std::string fix = {};
};

// oci, then each Docker or Podman engine there is; with --engine only those of that kind. They pull nothing.
std::vector<FoundEngine> find_engines(const Config& config);

}  // namespace bashcell::commands
