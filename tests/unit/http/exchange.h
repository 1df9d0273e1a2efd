#pragma once
// Both ways over an upgraded connection, as a loop would do it.

#include <poll.h>

#include <catch2/catch.hpp>
#include <string>

#include "http/client.h"

namespace bashcell::http {

inline std::unique_ptr<Connection> connected(base::Result<std::unique_ptr<Connection>> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

inline std::string pattern(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 1000);
  return bytes;
}

inline void wait_for(const Connection& connection, short events) {
  pollfd entry{connection.poll_fd(), events, 0};
  REQUIRE(::poll(&entry, 1, 20'000) == 1);
}

inline std::string received_to_end(Connection& connection) {
  std::string all;
  for (;;) {
    char piece[1000];
    const ssize_t n = connection.receive(piece, sizeof piece);
    if (n > 0) all.append(piece, static_cast<size_t>(n));
    if (n == 0) return all;
    if (n < 0) {
      REQUIRE(errno == EAGAIN);
      wait_for(connection, POLLIN);
    }
  }
}

// Sends `bytes` as fast as it goes and gives back as many bytes as came. What is left to send is in a new place in
// memory each time, as in a queue that grows.
inline std::string echoed(Connection& connection, const std::string& bytes) {
  std::string left = bytes;
  std::string back;
  while (back.size() < bytes.size()) {
    bool blocked = true;
    if (!left.empty()) {
      const std::string elsewhere = left;
      const ssize_t n = connection.send(elsewhere);
      if (n < 0) REQUIRE(errno == EAGAIN);
      if (n > 0) left.erase(0, static_cast<size_t>(n));
      blocked = n < 0;
    }
    char piece[16'384];
    const ssize_t n = connection.receive(piece, sizeof piece);
    REQUIRE(n != 0);
    if (n < 0) REQUIRE(errno == EAGAIN);
    if (n > 0) back.append(piece, static_cast<size_t>(n));
    if (blocked && n < 0) wait_for(connection, static_cast<short>(left.empty() ? POLLIN : POLLIN | POLLOUT));
  }
  return back;
}

}  // namespace bashcell::http
