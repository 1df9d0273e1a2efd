#pragma once
// Sockets of this machine with a name (unix(7)): in the file system, or in the abstract name space.

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace bashcell::base {

// For bind(2) and connect(2).
struct AbstractAddress {
  sockaddr_un name{};
  socklen_t size = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how these system calls take addresses
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// A NUL, then the name. Nothing for an empty name, and for one of more than 106 bytes.
std::optional<AbstractAddress> abstract_address(std::string_view name);

// A stream socket: connected, close-on-exec, and with `flags` of socket(2). Invalid with errno when nobody listens
// there, and with ENAMETOOLONG for a path of more than 107 bytes.
UniqueFd connect_unix(const std::string& path, int flags = 0);

// A stream socket: listening, non-blocking, close-on-exec. Invalid with errno, also as above, and then nothing is left
// at the path that was not there.
UniqueFd listen_unix(const std::string& path, int backlog);

}  // namespace bashcell::base
