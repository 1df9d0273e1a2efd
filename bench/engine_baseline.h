#pragma once
// What people do with the Engine API themselves: make a container and start it; run each command by an exec of its own.

#include <memory>
#include <string>

#include "engine/docker/engine_api.h"

namespace bashcell::bench {

class EngineBaseline {
 public:
  // Connects; throws if nothing answers there. `like`: the id or name of a running cell, whose whole configuration is
  // taken over.
  EngineBaseline(const std::string& host, const std::string& like);
  EngineBaseline(const EngineBaseline&) = delete;
  EngineBaseline& operator=(const EngineBaseline&) = delete;
  ~EngineBaseline();

  // create, attach, start: milliseconds until the engine has answered all three. The container's only process is a
  // `cat`. Removed afterwards, untimed.
  double create_attach_start();
  // exec create, exec start, its output to the end, exec inspect: what it printed. In a container that stays.
  std::string exec(const std::string& script);

 private:
  std::string create(const nlohmann::json& configuration);
  void start(const std::string& container);

  std::unique_ptr<engine::docker::EngineApi> api_;
  nlohmann::json configuration_;
  std::string for_exec_;  // the container that stays
  int made_ = 0;
};

// The name of the one cell of that server.
std::string cell_of(const std::string& host, int server_pid);

}  // namespace bashcell::bench
