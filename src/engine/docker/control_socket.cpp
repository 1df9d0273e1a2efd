#include "engine/docker/control_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/unix_socket.h"
#include "engine/cell_name.h"
#include "engine/private_folder.h"

namespace bashcell::engine::docker {

base::Result<ControlSocket> ControlSocket::listen(const std::string& folder, const std::string& name) {
  if (base::Result<void> made = make_private(folder); !made) return made.error();
  std::string path = folder + "/" + name;
  base::UniqueFd socket = base::listen_unix(path, 1);
  if (!socket.valid()) return base::errno_error("cannot make the socket " + path);
  ControlSocket control(std::move(socket), std::move(path));
  // The cell's user is another one; the folder keeps all others out.
  if (::chmod(control.path_.c_str(), 0666) != 0)
    return base::errno_error("cannot open " + control.path_ + " to the cell");
  return control;
}

void ControlSocket::sweep(const std::string& folder) {
  for (const std::string& name : leftovers_in(folder)) std::remove((folder + "/" + name).c_str());
}

ControlSocket::~ControlSocket() {
  if (socket_.valid()) ::unlink(path_.c_str());
}

std::optional<base::UniqueFd> ControlSocket::accept(int other, base::Duration limit) && {
  const base::UniqueFd listening = std::move(socket_);
  ::unlink(path_.c_str());
  const base::Instant deadline = base::now() + limit;
  for (;;) {
    std::array<pollfd, 2> fds{pollfd{listening.get(), POLLIN, 0}, pollfd{other, POLLIN, 0}};
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(base::until(deadline).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || fds[0].revents == 0) return std::nullopt;
    base::UniqueFd stream(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (stream.valid()) return stream;
    if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) return std::nullopt;
  }
}

}  // namespace bashcell::engine::docker
