#pragma once
// An HTTP client that answers as a test says, and remembers what it was asked. What one of them is asked, and how it
// answers, is shared by all clients that one RememberedServer makes.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "http/client.h"

namespace bashcell::testing {

class RememberedServer {
 public:
  // Called for each request, by the thread that asks. May block; must end soon after request.stop is requested.
  using Answer = std::function<base::Result<http::Response>(const http::Request&)>;

  explicit RememberedServer(Answer answer) : answer_(std::move(answer)) {}

  http::ClientMaker maker() {
    return [this](const http::Target&) -> base::Result<std::unique_ptr<http::Client>> {
      return std::unique_ptr<http::Client>(std::make_unique<Client>(*this));
    };
  }
  // "POST /v1.41/images/create?fromImage=x&tag=1", in the order asked.
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  size_t asked_for(const std::string& part) const {
    size_t count = 0;
    for (const std::string& line : asked()) count += line.find(part) != std::string::npos ? 1 : 0;
    return count;
  }

 private:
  class Client : public http::Client {
   public:
    explicit Client(RememberedServer& server) : server_(server) {}
    base::Result<http::Response> send(const http::Request& request) override {
      {
        const std::lock_guard lock(server_.mutex_);
        server_.asked_.push_back(request.method + " " + request.path);
      }
      return server_.answer_(request);
    }
    base::Result<std::unique_ptr<http::Connection>> upgrade(const http::Request&) override {
      return base::Error{"a remembered server upgrades no connection"};
    }

   private:
    RememberedServer& server_;
  };

  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;  // guarded by mutex_
};

inline http::Response response(long status, std::string body) {
  http::Response made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

// What Docker 20.10 says to /_ping.
inline http::Response docker_ping() {
  http::Response made = response(200, "OK");
  made.headers = {"Api-Version: 1.41", "Server: Docker/20.10.24 (linux)"};
  return made;
}

// A door that one thread waits at and another one opens.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // False: nobody opened it, for 20 s or before `stop` was requested.
  bool wait(const std::stop_token& stop = {}) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, stop, std::chrono::seconds(20), [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;  // guarded by mutex_
};

}  // namespace bashcell::testing
