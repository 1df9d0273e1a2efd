#include "engine/docker/image_pull.h"

#include <catch2/catch.hpp>

#include "remembered_client.h"

using namespace bashcell;
using namespace bashcell::engine::docker;
using namespace std::chrono_literals;
using testing::docker_ping;
using testing::Gate;
using testing::RememberedServer;
using testing::response;

namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');
const char* const kImage = R"({"Id":"sha256:1","Architecture":"amd64","Os":"linux"})";

const PullOptions kPatient{.pull = true, .patience = 20s, .on_wait = {}};
base::Instant long_ago() { return base::now() - 20s; }  // begun then, a patient call waits no more

Address address() {
  Address made;
  made.target.name = "unix:///nonexistent/engine.sock";
  made.target.unix_socket = "/nonexistent/engine.sock";
  made.source = "its usual place";
  return made;
}

std::unique_ptr<EngineApi> api_of(RememberedServer& server, Address at = address()) {
  base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(server.maker(), std::move(at));
  REQUIRE(api);
  return std::move(*api);
}

std::string error_of(const base::Result<ImageFacts>& result) { return result ? "none" : result.error().message; }

// A registry as one engine sees it: a pull tells one layer, then waits at the gate, then ends as said.
struct Registry {
  Gate gate;
  std::atomic<bool> has_image = false;
  std::string last_line;  // of a pull, after the gate
  RememberedServer server{[this](const http::Request& request) { return answer(request); }};

  base::Result<http::Response> answer(const http::Request& request) {
    if (request.path == "/_ping") return docker_ping();
    if (request.path.find("/images/create") == std::string::npos) {
      return has_image ? response(200, kImage) : response(404, R"({"message":"No such image"})");
    }
    REQUIRE(request.on_body);
    request.on_body(R"({"status":"Downloading","id":"a","progressDetail":{"current":1000000,"total":4000000}})"
                    "\n");
    if (!gate.wait(request.stop)) return base::Error{"it was given up"};
    request.on_body(last_line);
    has_image = last_line.find("error") == std::string::npos;
    return response(200, "");
  }
};

}  // namespace

TEST_CASE("an image's name says what to ask the registry for") {
  const auto pulled = [](std::string_view reference, bool podman = false) {
    const PullName name = pull_name(reference, podman);
    return name.image + " " + name.tag + " " + name.text();
  };
  CHECK(pulled("python") == "python latest python:latest");
  CHECK(pulled("python:3.11-slim") == "python 3.11-slim python:3.11-slim");
  CHECK(pulled("localhost:5000/a/b") == "localhost:5000/a/b latest localhost:5000/a/b:latest");
  CHECK(pulled("127.0.0.1:5000/a:1") == "127.0.0.1:5000/a 1 127.0.0.1:5000/a:1");
  CHECK(pulled("python:3@" + kDigest) == "python " + kDigest + " python@" + kDigest);
}

TEST_CASE("for Podman a name without a registry is Docker Hub's") {
  CHECK(pull_name("python", true).text() == "docker.io/library/python:latest");
  CHECK(pull_name("python:3.11-slim", true).text() == "docker.io/library/python:3.11-slim");
  CHECK(pull_name("someone/tool:1", true).text() == "docker.io/someone/tool:1");
  CHECK(pull_name("python@" + kDigest, true).text() == "docker.io/library/python@" + kDigest);
  for (const char* named : {"quay.io/a/b:1", "localhost/a:1", "registry:5000/a:1", "127.0.0.1:5000/a:1"}) {
    CHECK(pull_name(named, true).text() == named);
  }
}

TEST_CASE("an image that is there is not pulled") {
  Registry registry;
  registry.has_image = true;
  ImageSource images(registry.server.maker(), kPatient);
  const auto found = images.obtain(*api_of(registry.server), "python:3", base::now());
  REQUIRE(found);
  CHECK(found->architecture == "amd64");
  CHECK(registry.server.asked_for("/images/create") == 0);
  CHECK(registry.server.asked_for("GET /v1.41/images/python:3/json") == 1);
}

TEST_CASE("a missing image is pulled once, and each call says how far it is") {
  Registry registry;
  ImageSource images(registry.server.maker(), kPatient);
  const auto api = api_of(registry.server);
  std::string error;
  // The first answer may come before the engine has said anything.
  const base::Instant deadline = base::now() + 20s;
  while (error.find("MB") == std::string::npos && base::now() < deadline) {
    error = error_of(images.obtain(*api, "python:3", long_ago()));
  }
  CHECK(error == "the image python:3 is being pulled: 1 MB of 4 MB, 0 of 1 layer (run the command again in a moment)");
  CHECK(images.pulling());
  registry.gate.open();
  CHECK(images.obtain(*api, "python:3", base::now()));
  CHECK_FALSE(images.pulling());
  CHECK(registry.server.asked_for("POST /v1.41/images/create?fromImage=python&tag=3") == 1);
}

TEST_CASE("a pull that ends between two calls is found by the next one") {
  Registry registry;
  ImageSource images(registry.server.maker(), kPatient);
  const auto api = api_of(registry.server);
  CHECK_FALSE(images.obtain(*api, "python:3", long_ago()));
  registry.gate.open();
  const base::Instant deadline = base::now() + 20s;
  while (!registry.has_image && base::now() < deadline) std::this_thread::yield();
  CHECK(images.obtain(*api, "python:3", base::now()));
  CHECK_FALSE(images.pulling());
}

TEST_CASE("a failed pull is said once, and tried again by the next call") {
  Registry registry;
  registry.last_line = R"({"errorDetail":{"message":"no such host"},"error":"no such host"})";  // without a newline
  registry.gate.open();
  ImageSource images(registry.server.maker(), kPatient);
  const auto api = api_of(registry.server);
  CHECK(error_of(images.obtain(*api, "python:3", base::now())) ==
        "the Docker engine at unix:///nonexistent/engine.sock does not have the image python:3 and could not pull it: "
        "no such host; to get it: docker pull python:3");
  CHECK_FALSE(images.pulling());
  registry.last_line = "";
  CHECK(images.obtain(*api, "python:3", base::now()));
  CHECK(registry.server.asked_for("/images/create") == 2);
}

TEST_CASE("a refused pull is said in the engine's words") {
  RememberedServer server([](const http::Request& request) -> base::Result<http::Response> {
    if (request.path == "/_ping") return docker_ping();
    if (request.method == "POST") return response(500, R"({"message":"connection refused"})");
    return response(404, "{}");
  });
  Address at = address();
  at.source = "--docker-host";
  ImageSource images(server.maker(), kPatient);
  const std::string error = error_of(images.obtain(*api_of(server, at), "a/b", base::now()));
  CHECK(error.find("could not pull it: connection refused; "
                   "to get it: docker -H unix:///nonexistent/engine.sock pull a/b") != std::string::npos);
}

TEST_CASE("an image that is pulled and still not there is no success") {
  RememberedServer server([](const http::Request& request) -> base::Result<http::Response> {
    if (request.path == "/_ping") return docker_ping();
    return request.method == "POST" ? response(200, "") : response(404, "{}");
  });
  ImageSource images(server.maker(), kPatient);
  CHECK(error_of(images.obtain(*api_of(server), "a", base::now())).find("does not find it by that name") !=
        std::string::npos);
}

TEST_CASE("what has only an id is not asked for") {
  Registry registry;
  ImageSource images(registry.server.maker(), kPatient);
  CHECK(error_of(images.obtain(*api_of(registry.server), kDigest, base::now())).find("by its id alone") !=
        std::string::npos);
  CHECK(registry.server.asked_for("/images/create") == 0);
}

TEST_CASE("another image takes the place of the one being pulled") {
  Registry registry;
  ImageSource images(registry.server.maker(), kPatient);
  const auto api = api_of(registry.server);
  CHECK_FALSE(images.obtain(*api, "one", long_ago()));
  CHECK_FALSE(images.obtain(*api, "two", long_ago()));
  const base::Instant deadline = base::now() + 20s;
  while (registry.server.asked_for("fromImage=two") == 0 && base::now() < deadline) std::this_thread::yield();
  registry.gate.open();
  CHECK(images.obtain(*api, "two", base::now()));
}

TEST_CASE("who must not pull says what would happen") {
  Registry registry;
  ImageSource images(registry.server.maker(), {.pull = false});
  CHECK(error_of(images.obtain(*api_of(registry.server), "python:3", base::now())) ==
        "the Docker engine at unix:///nonexistent/engine.sock does not have the image python:3; the first call pulls "
        "it, or: docker pull python:3");
  CHECK(registry.server.asked_for("/images/create") == 0);
}

TEST_CASE("a pull under way does not hold up the end") {
  Registry registry;
  base::Instant start;
  {
    ImageSource images(registry.server.maker(), kPatient);
    CHECK_FALSE(images.obtain(*api_of(registry.server), "python:3", long_ago()));
    start = base::now();
  }
  CHECK(base::now() - start < 2s);
}
