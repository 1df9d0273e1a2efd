#include "engine/docker/network.h"

#include <fmt/format.h>

#include "engine/docker/json_member.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

bool is_shared(const std::string& driver) { return driver == "host" || driver == "null"; }

// "bridge, lab": those that a cell may have.
std::string usable_networks(EngineApi& api) {
  const base::Result<Answer> all = api.request("GET", "/networks");
  if (!all || !all->good() || !all->body.is_array()) return {};
  std::string names;
  for (const json& one : all->body) {
    const std::string name = text_member(one, "Name");
    if (name.empty() || is_shared(text_member(one, "Driver"))) continue;
    if (names.size() > 300) return names + ", ...";
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace

base::Result<void> check_network(EngineApi& api, const std::string& network) {
  if (network.empty()) return {};
  // These are no networks to Podman, but ways to have none of one's own.
  const bool shared = network == "host" || network.find(':') != std::string::npos;
  const base::Result<Answer> found = shared ? Answer{} : api.request("GET", "/networks/" + url_encoded(network));
  if (!found) return found.error();
  if (shared || is_shared(text_member(found->body, "Driver"))) {
    return base::Error{fmt::format(
        "--network {} is refused: a cell never shares the network of this machine or of a container", network)};
  }
  // Docker also finds them by the beginning of an id.
  if (found->good() && text_member(found->body, "Name") == network) return {};
  if (!found->good() && found->status != 404) {
    return base::Error{fmt::format("{} cannot look at the network {}: {}", api.name(), network, found->message)};
  }
  const std::string others = usable_networks(api);
  return base::Error{fmt::format("{} has no network {}; {}", api.name(), network,
                                 others.empty() ? "make one: docker network create " + network
                                                : "there are: " + others + " (choose with --network)")};
}

}  // namespace bashcell::engine::docker
