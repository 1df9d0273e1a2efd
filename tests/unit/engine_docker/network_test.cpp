#include "engine/docker/network.h"

#include <catch2/catch.hpp>

#include "engine/docker/examine.h"
#include "remembered_client.h"

using namespace bashcell;
using namespace bashcell::engine::docker;
using testing::docker_ping;
using testing::RememberedServer;
using testing::response;

namespace {

base::Result<http::Response> answer(const http::Request& request) {
  if (request.path == "/_ping") return docker_ping();
  if (request.path == "/v1.41/info") {
    return response(200, R"({"OperatingSystem":"Debian","CgroupVersion":"1","SecurityOptions":["name=rootless"]})");
  }
  if (request.path == "/v1.41/networks") {
    return response(200, R"([{"Name":"none","Driver":"null"},{"Name":"host","Driver":"host"},
                             {"Name":"bridge","Driver":"bridge"},{"Name":"lab","Driver":"bridge"},{"Name":7},3])");
  }
  if (request.path == "/v1.41/networks/lab") return response(200, R"({"Name":"lab","Driver":"bridge"})");
  if (request.path == "/v1.41/networks/4f") return response(200, R"({"Name":"bridge","Driver":"bridge"})");
  if (request.path == "/v1.41/networks/ours") return response(200, R"({"Name":"ours","Driver":"host"})");
  if (request.path == "/v1.41/networks/broken") return response(500, R"({"message":"out of order"})");
  return response(404, R"({"message":"not found"})");
}

std::unique_ptr<EngineApi> api_of(RememberedServer& server) {
  Address at;
  at.target.name = "tcp://far:2375";
  at.target.host = "far";
  base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(server.maker(), at);
  REQUIRE(api);
  return std::move(*api);
}

std::string checked(const std::string& network) {
  RememberedServer server(answer);
  const auto result = check_network(*api_of(server), network);
  return result ? "good" : result.error().message;
}

}  // namespace

TEST_CASE("a network of the engine's is taken by its name") {
  CHECK(checked("") == "good");
  CHECK(checked("lab") == "good");
}

TEST_CASE("a network that is not there is refused with those that are") {
  CHECK(checked("nope") ==
        "the Docker engine at tcp://far:2375 has no network nope; there are: bridge, lab (choose with --network)");
  CHECK(checked("4f").find("has no network 4f") != std::string::npos);  // the beginning of an id
  CHECK(checked("broken") == "the Docker engine at tcp://far:2375 cannot look at the network broken: out of order");
}

TEST_CASE("the network of this machine or of another container is refused") {
  for (const char* name : {"host", "container:abc", "ns:/proc/1/ns/net", "ours"}) {
    INFO(name);
    CHECK(checked(name).find("is refused: a cell never shares") != std::string::npos);
  }
}

TEST_CASE("an engine is examined without starting or pulling anything") {
  RememberedServer server(answer);
  const auto api = api_of(server);
  engine::CellSpec spec;
  spec.image = "python:3";
  spec.network = "nope";
  std::map<std::string, engine::Finding> found;
  for (const engine::Finding& finding : examine_engine(*api, spec)) found[finding.what] = finding;
  CHECK(found["engine"].ok);
  CHECK(found["engine"].detail.find("Docker 20.10.24 (API 1.41, Debian)") == 0);
  CHECK_FALSE(found["limits"].ok);  // rootless with cgroup v1
  CHECK_FALSE(found["limits"].fix.empty());
  CHECK_FALSE(found["seccomp"].ok);
  CHECK_FALSE(found["image"].ok);
  CHECK(found["image"].detail == "python:3 is not there yet: the first call pulls it");
  CHECK(found["image"].fix == "docker pull python:3");
  CHECK_FALSE(found["network"].ok);
  for (const std::string& line : server.asked()) CHECK(line.starts_with("GET "));
}
