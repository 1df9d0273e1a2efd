#pragma once
// Removes containers on a thread of its own, since nothing that an engine does may hold the event loop up.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/log.h"
#include "engine/docker/address.h"
#include "http/client.h"

namespace bashcell::engine::docker {

class Janitor {
 public:
  Janitor(http::ClientMaker make_client, base::Log log);
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;
  // Finishes what was asked for, for at most 2 s.
  ~Janitor();

  // By force, soon. Failures are only logged: the next server's sweep finds what is left. Any thread.
  void remove(const Address& address, const std::string& container);

 private:
  struct Order {
    Address address;
    std::string container;
  };
  void work();
  void carry_out(const Order& order, base::Duration limit) const;

  http::ClientMaker make_client_;
  base::Log log_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Order> orders_;
  bool ending_ = false;
  base::Instant end_;
  std::thread thread_;  // started with the first order
};

}  // namespace bashcell::engine::docker
