#pragma once
// A shorter way to PID 1 where engine and server share files: a socket that is mounted into the cell. What goes through
// an attached connection passes the engine's daemon and its shim twice, which costs more than all the rest of a short
// call.
//
// It listens for one connection, which bashcell-init makes before anything else runs in the cell; then nobody listens
// any more, and all that scripts see is a name that refuses them.

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::engine::docker {

class ControlSocket {
 public:
  // In `folder`, which only we may enter; it is made when it is missing. An error when the path is too long for a
  // socket (unix(7): 107 bytes), or it cannot be made.
  static base::Result<ControlSocket> listen(const std::string& folder, const std::string& name);
  // Removes what servers that no longer run have left in that folder: their sockets, and the empty folders that a
  // daemon makes in place of a socket which is gone when it starts the cell.
  static void sweep(const std::string& folder);
  ControlSocket(ControlSocket&&) = default;
  ControlSocket& operator=(ControlSocket&&) = delete;
  ~ControlSocket();

  const std::string& path() const { return path_; }

  // Waits until the cell connects: its end of the stream, non-blocking. Nothing when `other` becomes readable first
  // (the cell speaks there, or has ended), or `limit` is over. Nobody can connect afterwards.
  std::optional<base::UniqueFd> accept(int other, base::Duration limit) &&;

 private:
  ControlSocket(base::UniqueFd socket, std::string path) : socket_(std::move(socket)), path_(std::move(path)) {}

  base::UniqueFd socket_;  // invalid in one that was moved from
  std::string path_;
};

}  // namespace bashcell::engine::docker
