#include "engine/docker/examine.h"

#include <fmt/format.h>

#include "engine/docker/image_pull.h"
#include "engine/docker/network.h"

namespace bashcell::engine::docker {

namespace {

Finding of_limits(const EngineFacts& facts) {
  const std::string detail =
      fmt::format("cgroup v{}; the engine's user is {}", facts.cgroup_version, facts.rootless ? "not root" : "root");
  if (!facts.rootless || facts.cgroup_version == 2) return {true, "limits", detail, {}};
  return {false, "limits", detail + ", who cannot limit anything there",
          "run the engine as root, or boot with systemd.unified_cgroup_hierarchy=1"};
}

Finding of_seccomp(const EngineFacts& facts) {
  if (facts.seccomp) return {true, "seccomp", "filters supported", {}};
  return {false, "seccomp", "not among the security options in its /info", {}};
}

Finding of_image(EngineApi& api, const CellSpec& spec) {
  if (!is_image_reference(spec.image)) return {false, "image", "that is no name of an image", {}};
  const base::Result<std::optional<ImageFacts>> found = api.find_image(spec.image);
  if (!found) return {false, "image", found.error().message, {}};
  if (*found) return {true, "image", fmt::format("{} ({}/{})", spec.image, (*found)->os, (*found)->architecture), {}};
  return {false, "image", spec.image + " is not there yet: the first call pulls it", pull_command(api, spec.image)};
}

Finding of_network(EngineApi& api, const std::string& network) {
  if (network.empty()) return {true, "network", "none (--network chooses one of the engine's)", {}};
  const base::Result<void> checked = check_network(api, network);
  if (!checked) return {false, "network", checked.error().message, {}};
  return {true, "network", network + ": scripts reach whatever it leads to", {}};
}

}  // namespace

std::vector<Finding> examine_engine(EngineApi& api, const CellSpec& spec) {
  const base::Result<void> described = api.describe();
  const EngineFacts& facts = api.facts();
  std::vector<Finding> findings = {{described.ok(),
                                    "engine",
                                    described
                                        ? fmt::format("{} {} (API {}, {}), found by {}", facts.product, facts.version,
                                                      facts.api, facts.system, api.address().source)
                                        : described.error().message,
                                    {}}};
  if (!described) return findings;
  findings.push_back(of_limits(facts));
  findings.push_back(of_seccomp(facts));
  findings.push_back(of_image(api, spec));
  findings.push_back(of_network(api, spec.network));
  return findings;
}

}  // namespace bashcell::engine::docker
