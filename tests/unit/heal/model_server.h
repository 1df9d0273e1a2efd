#pragma once
// An endpoint of a model on this machine, which answers as a test says. Every connection has a thread of its own.

#include <arpa/inet.h>

#include "../http/fake_server.h"

namespace bashcell::heal {

class ModelServer {
 public:
  explicit ModelServer(std::function<void(http::Peer&)> serve) : serve_(std::move(serve)) {
    listener_ = base::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), 8) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("cannot listen on the loopback");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ModelServer(const ModelServer&) = delete;
  ModelServer& operator=(const ModelServer&) = delete;
  // Waits for the connections: the client must have given them up.
  ~ModelServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
  }

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + std::to_string(port_) + path; }

 private:
  void accept_all() {
    for (int number = 1;; ++number) {
      base::UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) return;
      threads_.emplace_back([this, number, fd = std::move(fd)] {
        http::Peer peer(fd.get(), number);
        serve_(peer);
      });
    }
  }

  std::function<void(http::Peer&)> serve_;
  base::UniqueFd listener_;
  int port_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> threads_;  // written by acceptor_ only
};

}  // namespace bashcell::heal
