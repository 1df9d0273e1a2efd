#pragma once
// A bare container runtime with the bundle of a real cell, but `true` in place of the supervisor: what a cell's start
// is compared with.

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/oci/oci_engine.h"

namespace bashcell::bench {

class RuntimeBaseline {
 public:
  // Has the engine start a cell with that runtime and copies its bundle.
  RuntimeBaseline(const std::string& runtime, const engine::CellSpec& spec);
  RuntimeBaseline(const RuntimeBaseline&) = delete;
  RuntimeBaseline& operator=(const RuntimeBaseline&) = delete;
  ~RuntimeBaseline();

  // `RUNTIME run … true`: from its start to its end, in milliseconds. Throws if that failed.
  double run();

 private:
  engine::oci::OciEngine engine_;
  std::unique_ptr<engine::Cell> cell_;  // kept: servers with other options remove a root that no cell has
  std::string folder_;
  std::string runtime_;
  std::string configuration_;  // config.json
  int runs_ = 0;
};

}  // namespace bashcell::bench
