#pragma once
// The control stream of a docker cell: an attached connection, whose answers are multiplexed. Each piece has a header
// of 8 bytes: stream (1 stdout, 2 stderr), three zeros, and the length, big-endian (Engine API, "Attach to a
// container", stream format). Pieces arrive in any cut.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/stream.h"
#include "http/client.h"

namespace bashcell::engine::docker {

class AttachStream : public Stream {
 public:
  explicit AttachStream(std::unique_ptr<http::Connection> connection);

  int poll_fd() const override { return connection_->poll_fd(); }
  // Fills the buffer as far as the connection has something, so that a short count means that polling is right. -1 with
  // EPROTO for a header that is none.
  ssize_t receive(char* buffer, size_t size) override;
  ssize_t send(std::string_view bytes) override { return connection_->send(bytes); }

  // What came on stderr: the first 4,000 bytes.
  const std::string& errors() const { return errors_; }

 private:
  // Of what has been read: hands out up to `size` bytes of stdout, keeps stderr. False: no header.
  bool demultiplex(char* buffer, size_t size, size_t& filled);

  std::unique_ptr<http::Connection> connection_;
  std::vector<char> pending_;  // read from the connection, from `used_` on not yet looked at
  size_t used_ = 0;
  std::array<unsigned char, 8> header_{};
  size_t header_bytes_ = 0;  // of the header being read; 8: its piece is being read
  size_t piece_left_ = 0;
  std::string errors_;
};

}  // namespace bashcell::engine::docker
