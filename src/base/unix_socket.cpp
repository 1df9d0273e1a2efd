#include "base/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace bashcell::base {

namespace {

// A socket on which `act` (bind or connect) succeeded with the address of `path`; else invalid with errno.
template <typename Act>
UniqueFd socket_at(const std::string& path, int flags, Act act) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    errno = path.empty() ? ENOENT : ENAMETOOLONG;
    return {};
  }
  path.copy(address.sun_path, path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how these system calls take addresses
  if (socket.valid() && act(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  const int error_number = errno;
  socket.reset();
  errno = error_number;
  return {};
}

}  // namespace

std::optional<AbstractAddress> abstract_address(std::string_view name) {
  AbstractAddress address;
  if (name.empty() || name.size() >= sizeof address.name.sun_path - 1) return std::nullopt;
  address.name.sun_family = AF_UNIX;
  name.copy(&address.name.sun_path[1], name.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

UniqueFd connect_unix(const std::string& path, int flags) { return socket_at(path, flags, ::connect); }

UniqueFd listen_unix(const std::string& path, int backlog) {
  UniqueFd socket = socket_at(path, SOCK_NONBLOCK, ::bind);
  if (!socket.valid() || ::listen(socket.get(), backlog) == 0) return socket;
  const int error_number = errno;
  ::unlink(path.c_str());
  socket.reset();
  errno = error_number;
  return {};
}

}  // namespace bashcell::base
