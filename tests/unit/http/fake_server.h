#pragma once
// A server on a Unix socket that does what a test says with each connection. Every connection has a thread of its own.

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "http/client.h"
#include "support/temporary_folder.h"

namespace bashcell::http {

// The server's end of one connection.
class Peer {
 public:
  Peer(int fd, int number) : fd_(fd), number_(number) {}

  int fd() const { return fd_; }
  int number() const { return number_; }  // 1 for the first connection

  // A whole request, header and body; empty when the client has closed.
  std::string request() {
    size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return {};
    }
    size_t size = end + 4;
    const size_t length = buffer_.find("Content-Length: ");
    if (length < end) size += static_cast<size_t>(std::stoul(buffer_.substr(length + 16)));
    while (buffer_.size() < size) {
      if (!fill()) return {};
    }
    const std::string whole = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return whole;
  }
  // What has come and is not part of a request, at least one byte; empty at the end.
  std::string bytes() {
    if (buffer_.empty()) fill();
    return std::exchange(buffer_, {});
  }
  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;
      text.remove_prefix(static_cast<size_t>(n));
    }
  }
  void answer(std::string_view status, std::string_view body) const {
    write("HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
  }
  // Until the client closes.
  void wait_for_end() {
    while (fill()) buffer_.clear();
  }

 private:
  bool fill() {
    char piece[4096];
    const ssize_t n = ::recv(fd_, piece, sizeof piece, 0);
    if (n <= 0) return false;
    buffer_.append(piece, static_cast<size_t>(n));
    return true;
  }

  int fd_;
  int number_;
  std::string buffer_;
};

class FakeServer {
 public:
  // `serve` runs for each connection, which is closed when it returns.
  explicit FakeServer(std::function<void(Peer&)> serve) : serve_(std::move(serve)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    listener_ = base::UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 16) != 0) {
      throw std::runtime_error("cannot listen at " + path());
    }
    acceptor_ = std::thread([this] { accept_all(); });
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  std::string path() const { return (folder_.path() / "server.sock").string(); }
  Target target() const {
    Target target;
    target.name = "unix://" + path();
    target.unix_socket = path();
    return target;
  }
  int connections() const {
    const std::lock_guard lock(mutex_);
    return connections_;
  }
  // Blocks until the server has closed every connection it had.
  void wait_until_closed() {
    std::unique_lock lock(mutex_);
    if (!closed_.wait_for(lock, std::chrono::seconds(20), [this] { return open_.empty(); })) {
      throw std::runtime_error("a connection stays open");
    }
  }

 private:
  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      open_.push_back(fd);
      const int number = ++connections_;
      threads_.emplace_back([this, fd, number] {
        Peer peer(fd, number);
        serve_(peer);
        const std::lock_guard end(mutex_);
        std::erase(open_, fd);
        ::close(fd);
        closed_.notify_all();
      });
    }
  }

  TemporaryFolder folder_;
  std::function<void(Peer&)> serve_;
  base::UniqueFd listener_;
  std::thread acceptor_;
  mutable std::mutex mutex_;
  std::condition_variable closed_;
  std::vector<int> open_;             // guarded by mutex_
  int connections_ = 0;               // guarded by mutex_
  std::vector<std::thread> threads_;  // written by acceptor_ only
};

// Sends these bytes and then nothing, until the client has had enough.
inline std::function<void(Peer&)> stall_after(const std::string& bytes) {
  return [bytes](Peer& peer) {
    peer.write(bytes);
    peer.wait_for_end();
  };
}

// The server's name differs with every run: in `message` it becomes unix:///s.
inline std::string with_fixed_name(std::string message, const FakeServer& server) {
  const size_t at = message.find(server.target().name);
  if (at != std::string::npos) message.replace(at, server.target().name.size(), "unix:///s");
  return message;
}

}  // namespace bashcell::http
