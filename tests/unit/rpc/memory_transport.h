#pragma once
// A transport without descriptors: the test is the client. Keeps what was sent, in order.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "rpc/transport.h"

namespace bashcell::rpc {

class MemoryTransport final : public Transport {
 public:
  void start(TransportEvents given) override { events = std::move(given); }
  void send(std::string_view line) override { sent.emplace_back(line); }
  size_t unsent() const override { return held; }

  // What the client writes.
  void receive(std::string_view line) const { events.on_line(line); }

  // Takes what was sent since the last time. A line that is not JSON comes back as a discarded value.
  std::vector<nlohmann::json> take() {
    std::vector<nlohmann::json> taken;
    for (const std::string& line : std::exchange(sent, {}))
      taken.push_back(nlohmann::json::parse(line, nullptr, false));
    return taken;
  }

  TransportEvents events;
  std::vector<std::string> sent;
  size_t held = 0;  // what unsent() says
};

}  // namespace bashcell::rpc
