#include "commands/engines.h"

#include <utility>

#include "base/process.h"
#include "config_paths.h"
#include "engine/auto_engine.h"
#include "engine/docker/docker_engine.h"
#include "engine/oci/oci_engine.h"
#include "http/curl_client.h"

namespace bashcell::commands {

namespace {

using engine::Engine;
using engine::docker::Address;
using engine::docker::DockerEngine;
using engine::docker::DockerOptions;
using engine::docker::Flavor;

constexpr const char* kOciNetwork = "pasta";  // the name of a program, not of an engine's network

DockerOptions docker_options(const Config& config, EngineChoice kind, const EngineUse& use) {
  return {.host = config.docker_host,
          .address = {},
          .flavor = kind == EngineChoice::kPodman ? Flavor::kPodman : Flavor::kAny,
          .environment = environment_map(process_environment()),
          .make_client = http::make_curl_client,
          .private_folder = {},
          .image = {.pull = use.pull, .patience = use.patience, .on_wait = use.on_wait},
          .log = base::Log(config.log)};
}

std::unique_ptr<Engine> make_one(const Config& config, EngineChoice kind, const EngineUse& use) {
  if (kind != EngineChoice::kOci) return std::make_unique<DockerEngine>(docker_options(config, kind, use));
  return std::make_unique<engine::oci::OciEngine>(
      engine::oci::OciOptions{.runtime = config.runtime, .private_folder = {}, .log = base::Log(config.log)});
}

FoundEngine none_found(EngineChoice kind, const base::Result<std::vector<Address>>& addresses) {
  const bool podman = kind == EngineChoice::kPodman;
  FoundEngine none{.kind = kind, .title = podman ? "podman" : "docker"};
  if (!addresses) {
    none.problem = addresses.error().message;
    return none;
  }
  none.problem = podman ? "there is no Podman engine here" : "there is no Docker or Podman engine here";
  none.problem += ": no variable, context or usual socket leads to one";
  none.fix = podman ? "sudo apt-get install podman && sudo systemctl enable --now podman.socket"
                    : "sudo apt-get install docker.io";
  return none;
}

void add_docker_engines(std::vector<FoundEngine>& list, const Config& config, EngineChoice kind) {
  DockerOptions options = docker_options(config, kind, {.pull = false});
  const base::Result<std::vector<Address>> addresses =
      engine::docker::find_addresses(options.host, options.flavor, options.environment);
  if (!addresses || addresses->empty()) return list.push_back(none_found(kind, addresses));
  for (const Address& address : *addresses) {
    options.address = address;
    FoundEngine found{.kind = kind, .title = kind == EngineChoice::kPodman ? "podman at " : "docker at "};
    found.title += address.target.name;
    found.engine = std::make_unique<DockerEngine>(options);
    list.push_back(std::move(found));
  }
}

}  // namespace

std::vector<EngineChoice> engine_order(const Config& config) {
  if (config.engine != EngineChoice::kAuto) return {config.engine};
  const std::string network = config.network == "none" ? "" : config.network;
  const bool has_engine_network = !network.empty() && network != kOciNetwork;
  if (!config.image.empty() || !config.docker_host.empty() || !config.workspace_volume.empty() || has_engine_network) {
    return {EngineChoice::kDocker};
  }
  if (!config.runtime.empty() || !config.rootfs.empty() || !network.empty()) return {EngineChoice::kOci};
  return {EngineChoice::kOci, EngineChoice::kDocker};
}

CellRoot root_of_cells(const Config& config) {
  const std::vector<EngineChoice> order = engine_order(config);
  if (order.front() != EngineChoice::kOci) return CellRoot::kImage;
  const bool there = order.size() == 1 || base::find_program("crun") || base::find_program("runc");
  return there ? CellRoot::kMachine : CellRoot::kImage;
}

std::unique_ptr<Engine> make_engine(const Config& config, const EngineUse& use) {
  const std::vector<EngineChoice> order = engine_order(config);
  if (order.size() == 1) return make_one(config, order.front(), use);
  const auto maker = [config, use](EngineChoice kind) {
    return [config, use, kind] { return make_one(config, kind, use); };
  };
  // Where not every limit can be enforced by oci, an engine that can is better, whatever the user would put up with.
  std::vector<engine::EngineChoiceOption> options = {
      {.name = "oci", .make = maker(EngineChoice::kOci), .limits = engine::LimitsPolicy::kStrict},
      {.name = "docker", .make = maker(EngineChoice::kDocker), .images = true}};
  if (config.limits == engine::LimitsPolicy::kBestEffort) {
    options.push_back({.name = "oci without all limits", .make = maker(EngineChoice::kOci)});
  }
  return std::make_unique<engine::AutoEngine>(std::move(options));
}

std::vector<FoundEngine> find_engines(const Config& config) {
  std::vector<FoundEngine> list;
  const bool any = config.engine == EngineChoice::kAuto;
  if (any || config.engine == EngineChoice::kOci) {
    list.push_back({.kind = EngineChoice::kOci, .title = "oci", .engine = make_one(config, EngineChoice::kOci, {})});
  }
  if (config.engine != EngineChoice::kOci) {
    add_docker_engines(list, config, any ? EngineChoice::kDocker : config.engine);
  }
  return list;
}

}  // namespace bashcell::commands
