#pragma once
// A descriptor with one owner, and the few verbs that every user of descriptors needs.
//
// No function here is async-signal-safe unless it says so. All descriptors made here are close-on-exec.

#include <string_view>
#include <utility>

#include "base/result.h"

namespace bashcell::base {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  operator bool() const = delete;  // a descriptor is an int: `if (fd)` would be true for -1

  // Gives the descriptor away; the caller closes it.
  int release() { return std::exchange(fd_, -1); }
  // Closes what is held (once: on Linux close() frees the number even when it returns EINTR) and holds `fd`.
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// pipe2(O_CLOEXEC).
Result<Pipe> make_pipe();
// socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC): both ends read and write.
Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair();
// A duplicate with FD_CLOEXEC, at `minimum` or the first free number above it.
Result<UniqueFd> duplicate(int fd, int minimum = 0);

Result<void> set_nonblocking(int fd, bool on);
Result<void> set_close_on_exec(int fd, bool on);

// Blocking; retries on EINTR and short writes. A peer that is gone is an error (EPIPE): SIGPIPE must be ignored.
Result<void> write_all(int fd, std::string_view data);

}  // namespace bashcell::base
