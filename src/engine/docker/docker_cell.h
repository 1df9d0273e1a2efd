#pragma once
// One running cell of a Docker or Podman engine. Its stream is an attached connection, whose end is the end of the
// container's stdin (StdinOnce); or a socket of its own (control_socket.h), and then the attached connection only
// brings what PID 1 says on stderr. When the stream ends, PID 1 does, and the engine removes the container
// (AutoRemove).

#include <memory>
#include <optional>
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
  std::optional<base::UniqueFd> direct;  // the cell's own socket
  std::shared_ptr<Janitor> janitor;
};

class DockerCell : public Cell {
 public:
  explicit DockerCell(CellParts parts);
  // Also asks the engine to remove the container: a paused one does not notice that its stdin has ended.
  ~DockerCell() override;

  Stream& stream() override { return direct_ ? static_cast<Stream&>(*direct_) : *attached_; }
  const std::string& id() const override { return parts_.name; }
  RootName root() const override { return {"the image " + parts_.image, "--image"}; }
  std::string diagnostics() override;
  void kill() override;

 private:
  CellParts parts_;
  std::unique_ptr<AttachStream> attached_;
  std::unique_ptr<SocketStream> direct_;
};

}  // namespace bashcell::engine::docker
