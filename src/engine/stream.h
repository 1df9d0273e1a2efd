#pragma once
// The control stream of a cell: bytes both ways, non-blocking.

#include <sys/types.h>

#include <string_view>

#include "base/unique_fd.h"

namespace bashcell::engine {

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  // To be polled for reading (and for writing, after a short write).
  virtual int poll_fd() const = 0;
  // read(2) and send(2) without blocking: -1 with errno EAGAIN when it would; 0 from receive() is the end.
  virtual ssize_t receive(char* buffer, size_t size) = 0;
  virtual ssize_t send(std::string_view bytes) = 0;
};

// Over one connected AF_UNIX stream socket.
class SocketStream : public Stream {
 public:
  explicit SocketStream(base::UniqueFd socket);

  int poll_fd() const override { return socket_.get(); }
  ssize_t receive(char* buffer, size_t size) override;
  ssize_t send(std::string_view bytes) override;

 private:
  base::UniqueFd socket_;
};

}  // namespace bashcell::engine
