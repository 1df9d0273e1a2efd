#include "supervisor/lock_holder.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/text.h"
#include "base/unix_socket.h"

namespace bashcell::supervisor {

namespace {

constexpr char kHeld = 'y';
constexpr char kNotHeld = 'n';
constexpr timeval kPatience{5, 0};

// A packet of `text`, with a descriptor when there is one.
bool send_packet(int socket, std::string_view text, int fd) {
  std::string copy(text);
  iovec part{copy.data(), copy.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(copy.size());
}

struct Packet {
  std::string text;
  base::UniqueFd fd;
};

Packet receive_packet(int socket) {
  Packet packet;
  std::array<char, PATH_MAX + 1> buffer{};
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return packet;
  packet.text.assign(buffer.data(), static_cast<size_t>(got));
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    packet.fd.reset(fd);
  }
  return packet;
}

void bound_waits(int socket) {
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
}

bool ask(std::string_view holder, std::string_view file, int fd) {
  const base::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return false;
  bound_waits(socket.get());
  const std::optional<base::AbstractAddress> address = base::abstract_address(holder);
  if (!address || ::connect(socket.get(), address->get(), address->size) != 0) return false;
  if (!send_packet(socket.get(), file, fd)) return false;
  return receive_packet(socket.get()).text == std::string_view(&kHeld, 1);
}

}  // namespace

base::Result<void> LockHolder::listen() {
  // No later process of that number has this name.
  name_ = "bashcell-lock-" + std::to_string(::getpid()) + "-" + std::to_string(base::now().time_since_epoch().count());
  listening_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const std::optional<base::AbstractAddress> address = base::abstract_address(name_);
  constexpr int kBacklog = 64;
  if (!address || !listening_.valid() || ::bind(listening_.get(), address->get(), address->size) != 0 ||
      ::listen(listening_.get(), kBacklog) != 0) {
    return base::errno_error("cannot listen for the commands under the lock");
  }
  return {};
}

std::string LockHolder::environment(const std::string& outer) const {
  return outer.empty() ? name_ : outer + ":" + name_;
}

void LockHolder::answer() {
  const base::UniqueFd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid()) return;
  bound_waits(socket.get());
  Packet packet = receive_packet(socket.get());
  const bool held = packet.text == file_;
  if (held && packet.fd.valid()) replacement_ = std::move(packet.fd);
  static_cast<void>(send_packet(socket.get(), {held ? &kHeld : &kNotHeld, 1}, -1));
}

HeldAbove HeldAbove::find(const std::string& file, const std::string& holders) {
  HeldAbove found;
  found.file_ = file;
  for (const std::string_view holder : base::split(holders, ':')) {
    if (!holder.empty() && ask(holder, file, -1)) found.holder_ = holder;
  }
  return found;
}

base::Result<void> HeldAbove::hand_over(int fd) const {
  if (ask(holder_, file_, fd)) return {};
  return base::Error{"the lock of " + file_ + " was lost: its holder has ended"};
}

base::Result<std::string> canonical_path(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (path.empty()) return base::Error{"the name of a file is empty"};
  if (name.empty() || name == "." || name == "..") return base::Error{path + " is a directory, and must be a file"};
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(folder.c_str(), nullptr), &std::free);
  if (!resolved) return base::errno_error(folder);
  const std::string parent = resolved.get();
  return (parent == "/" ? "" : parent) + "/" + name;
}

}  // namespace bashcell::supervisor
