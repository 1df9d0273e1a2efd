#pragma once
// A bare container runtime with the very bundle that a running cell has, but `true` in place of the supervisor: what a
// cell's start is compared with.

#include <string>

#include "server.h"

namespace bashcell::bench {

class RuntimeBaseline {
 public:
  // Copies the bundle of the cell that `server` has up. That server must stay up: its files are mounted.
  explicit RuntimeBaseline(const Server& server);
  RuntimeBaseline(const RuntimeBaseline&) = delete;
  RuntimeBaseline& operator=(const RuntimeBaseline&) = delete;
  ~RuntimeBaseline();

  // `RUNTIME run … true`: from its start to its end, in milliseconds. Throws if that failed.
  double run();

 private:
  std::string folder_;
  std::string runtime_;
  std::string cell_;           // its name, which stands in the bundle
  std::string configuration_;  // config.json
  int runs_ = 0;
};

}  // namespace bashcell::bench
