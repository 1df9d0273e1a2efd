#pragma once
// Removes containers on a thread of its own, since nothing that an engine does may hold the event loop up.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
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

  // By force, soon. An engine that refuses (Podman does, for a moment, when its helper died) or is away is asked again
  // for a minute; what is left then, the next server's sweep finds. Any thread.
  void remove(const Address& address, const std::string& container);

 private:
  struct Order {
    Address address;
    std::string container;
    base::Instant due;       // not before
    base::Instant deadline;  // not again after
  };
  enum class Outcome { kRemoved, kRefused, kUnreachable };
  void work();
  Outcome carry_out(const Order& order, base::Duration limit) const;

  http::ClientMaker make_client_;
  base::Log log_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Order> orders_;
  bool ending_ = false;
  base::Instant end_;   // once ending_
  std::thread thread_;  // started with the first order
};

}  // namespace bashcell::engine::docker
