#pragma once
// One running cell of a Docker or Podman engine: an attached connection. Closing it ends PID 1, since the container's
// stdin is open for one client only (StdinOnce), and the engine removes the container (AutoRemove).

#include <memory>
#include <string>

#include "engine/docker/attach_stream.h"
#include "engine/docker/janitor.h"
#include "engine/engine.h"

namespace bashcell::engine::docker {

struct CellParts {
  std::string name;
  std::string container;  // the engine's id
  std::string image;
  Address address;
  std::unique_ptr<http::Connection> connection;
  std::shared_ptr<Janitor> janitor;
};

class DockerCell : public Cell {
 public:
  explicit DockerCell(CellParts parts);
  // Also asks the engine to remove the container: a paused one does not notice that its stdin has ended.
  ~DockerCell() override;

  Stream& stream() override { return *stream_; }
  const std::string& id() const override { return parts_.name; }
  RootName root() const override { return {"the image " + parts_.image, "--image"}; }
  std::string diagnostics() override;
  void kill() override;

 private:
  CellParts parts_;
  std::unique_ptr<AttachStream> stream_;
};

}  // namespace bashcell::engine::docker
