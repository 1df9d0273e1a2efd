#include "engine/stream.h"

#include <sys/socket.h>

#include <utility>

namespace bashcell::engine {

SocketStream::SocketStream(base::UniqueFd socket) : socket_(std::move(socket)) {}

ssize_t SocketStream::receive(char* buffer, size_t size) { return ::recv(socket_.get(), buffer, size, MSG_DONTWAIT); }

ssize_t SocketStream::send(std::string_view bytes) {
  return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace bashcell::engine
