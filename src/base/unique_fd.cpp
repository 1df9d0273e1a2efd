#include "base/unique_fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace bashcell::base {

void UniqueFd::reset(int fd) {
  const int old = std::exchange(fd_, fd);
  if (old >= 0) ::close(old);
}

Result<Pipe> make_pipe() {
  std::array<int, 2> fds{-1, -1};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair() {
  std::array<int, 2> fds{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) {
    return errno_error("cannot make a socket pair");
  }
  return std::pair<UniqueFd, UniqueFd>{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<UniqueFd> duplicate(int fd, int minimum) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, minimum);
  if (copy < 0) return errno_error("cannot duplicate descriptor " + std::to_string(fd));
  return UniqueFd(copy);
}

namespace {

Result<void> set_flag(int fd, int get, int set, int flag, bool on) {
  const int flags = ::fcntl(fd, get);
  if (flags < 0) return errno_error("cannot read the flags of descriptor " + std::to_string(fd));
  const int wanted = on ? flags | flag : flags & ~flag;
  if (wanted != flags && ::fcntl(fd, set, wanted) < 0) {
    return errno_error("cannot set the flags of descriptor " + std::to_string(fd));
  }
  return {};
}

}  // namespace

Result<void> set_nonblocking(int fd, bool on) { return set_flag(fd, F_GETFL, F_SETFL, O_NONBLOCK, on); }

Result<void> set_close_on_exec(int fd, bool on) { return set_flag(fd, F_GETFD, F_SETFD, FD_CLOEXEC, on); }

Result<void> write_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno_error("cannot write");
    }
    data.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

}  // namespace bashcell::base
