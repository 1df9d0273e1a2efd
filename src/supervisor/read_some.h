#pragma once
// Reading from a non-blocking pipe on PID 1's loop, where what comes may never end.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace bashcell::supervisor {

enum class ReadEnd { kWouldBlock, kEnd, kTurnOver };

// Reads what is there, at most a few pieces, so that one flooding script leaves the loop its turn.
template <typename Take>
ReadEnd read_some(int fd, Take take) {
  std::array<char, 65536> buffer;  // NOLINT: filled by read()
  for (int piece = 0; piece < 4; ++piece) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0) {
      take(std::string_view(buffer.data(), static_cast<size_t>(n)));
      if (static_cast<size_t>(n) < buffer.size() / 2) return ReadEnd::kWouldBlock;
    } else if (n == 0) {
      return ReadEnd::kEnd;
    } else if (errno != EINTR) {
      return ReadEnd::kWouldBlock;
    }
  }
  return ReadEnd::kTurnOver;
}

}  // namespace bashcell::supervisor
