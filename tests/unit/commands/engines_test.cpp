#include "commands/engines.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using commands::engine_order;

namespace {

using Order = std::vector<EngineChoice>;
const Order kOciOnly = {EngineChoice::kOci};
const Order kDockerOnly = {EngineChoice::kDocker};

template <typename Change>
Order order_with(Change change) {
  Config config;
  change(config);
  return engine_order(config);
}

}  // namespace

TEST_CASE("auto tries oci, then docker") {
  CHECK(engine_order(Config{}) == Order{EngineChoice::kOci, EngineChoice::kDocker});
}

TEST_CASE("what only one kind of engine understands decides for it") {
  CHECK(order_with([](Config& config) { config.image = "alpine"; }) == kDockerOnly);
  CHECK(order_with([](Config& config) { config.docker_host = "tcp://host"; }) == kDockerOnly);
  CHECK(order_with([](Config& config) { config.workspace_volume = "data"; }) == kDockerOnly);
  CHECK(order_with([](Config& config) { config.network = "lab"; }) == kDockerOnly);
  CHECK(order_with([](Config& config) { config.network = "pasta"; }) == kOciOnly);
  CHECK(order_with([](Config& config) { config.network = "none"; }).size() == 2);
  CHECK(order_with([](Config& config) { config.runtime = "runc"; }) == kOciOnly);
  CHECK(order_with([](Config& config) { config.rootfs = "/srv/root"; }) == kOciOnly);
  CHECK(order_with([](Config& config) {
          config.image = "alpine";
          config.runtime = "runc";
        }) == kDockerOnly);
}

TEST_CASE("an engine that is named is the only one") {
  for (const EngineChoice choice : {EngineChoice::kOci, EngineChoice::kDocker, EngineChoice::kPodman}) {
    CHECK(order_with([&](Config& config) {
            config.engine = choice;
            config.image = "alpine";
            config.runtime = "runc";
          }) == Order{choice});
  }
}

TEST_CASE("auto is made of what has not been made yet") {
  const std::unique_ptr<engine::Engine> chosen = commands::make_engine(Config{});
  CHECK(chosen->name() == "auto");
  Config config;
  config.engine = EngineChoice::kPodman;
  CHECK(commands::make_engine(config)->name() == "podman");
}
