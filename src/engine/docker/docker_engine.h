#pragma once
// Cells in a Docker or Podman engine, through its API; no command-line client is used.
//
// start(): finds the engine, agrees on a version, makes sure of the image, creates the container, attaches to it,
// starts it. What a failure leaves half-made is removed; what a server that was killed has left is removed by the next
// start.

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/log.h"
#include "engine/docker/container_config.h"
#include "engine/docker/control_socket.h"
#include "engine/docker/image_pull.h"
#include "engine/docker/janitor.h"
#include "engine/engine.h"

namespace bashcell::engine::docker {

struct DockerOptions {
  std::string host;                // --docker-host; empty: found (address.h)
  std::optional<Address> address;  // instead: this one and no other
  Flavor flavor = Flavor::kAny;
  Environment environment;  // of this process
  http::ClientMaker make_client;
  std::string private_folder;  // empty: the usual place (private_folder.h)
  PullOptions image = {};
  base::Log log = base::Log{};
};

class DockerEngine : public Engine {
 public:
  explicit DockerEngine(DockerOptions options);

  std::string_view name() const override { return options_.flavor == Flavor::kPodman ? "podman" : "docker"; }
  base::Result<std::unique_ptr<Cell>> start(const CellSpec& spec) override;
  bool preparing() const override { return images_.pulling(); }
  std::vector<Finding> examine(const CellSpec& spec) override;

 private:
  // The first engine that answers.
  base::Result<std::unique_ptr<EngineApi>> connect();
  base::Result<std::string> seccomp_for(const EngineApi& api, const std::string& folder) const;
  // `control`: nothing where the engine does not see our files.
  base::Result<nlohmann::json> mounts_for(EngineApi& api, const CellSpec& spec, const ControlSocket* control,
                                          const std::string& folder);
  struct Created {
    std::string container;
    std::optional<ControlSocket> control;
  };
  base::Result<Created> create(EngineApi& api, const CellSpec& spec, const ImageFacts& image, const std::string& name);
  // Removes what nobody uses: once, and again when it is not known whether a container was made.
  void sweep(EngineApi& api);

  DockerOptions options_;
  std::shared_ptr<Janitor> janitor_;
  ImageSource images_;
  std::string host_;   // for labels
  bool binds_ = true;  // until an engine at a local socket turns out not to see our files
  bool swept_ = false;
  std::set<std::string> unanswered_;  // names of containers that may have been made
};

}  // namespace bashcell::engine::docker
