#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"
#include "engine/docker/address.h"
#include "engine/docker/docker_context.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine::docker;
namespace fs = std::filesystem;

namespace {

// A home folder and the environment of somebody who lives there.
struct Home {
  Home() { environment = {{"HOME", at("")}, {"XDG_RUNTIME_DIR", at("/run")}}; }

  std::string at(const std::string& path) const { return folder.path().string() + path; }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    std::ofstream(at(path)) << text;
  }
  void put_context(const std::string& id, const std::string& meta) const {
    put("/.docker/contexts/meta/" + id + "/meta.json", meta);
  }
  // A socket file that nobody listens at.
  void put_socket(const std::string& path) const {
    fs::create_directories(fs::path(at(path)).parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    at(path).copy(address.sun_path, sizeof address.sun_path - 1);
    const base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }

  base::Result<std::vector<Address>> find(const std::string& option = "", Flavor flavor = Flavor::kAny) const {
    return find_addresses(option, flavor, environment);
  }
  // The one that is to be found.
  Address one(const std::string& option = "", Flavor flavor = Flavor::kAny) const {
    base::Result<std::vector<Address>> found = find(option, flavor);
    if (!found) FAIL(found.error().message);
    REQUIRE(found->size() == 1);
    return std::move(found->front());
  }
  std::string trouble(const std::string& option = "", Flavor flavor = Flavor::kAny) const {
    const base::Result<std::vector<Address>> found = find(option, flavor);
    return found ? "no error" : found.error().message;
  }
  // Sockets of the home, without those that this machine may have.
  std::vector<std::string> sockets(Flavor flavor = Flavor::kAny) const {
    std::vector<std::string> names;
    base::Result<std::vector<Address>> found = find("", flavor);
    if (!found) FAIL(found.error().message);
    for (const Address& address : *found) {
      CHECK(address.source == "its usual place");
      CHECK(address.target.name == "unix://" + address.target.unix_socket);
      const std::string& path = address.target.unix_socket;
      if (path.starts_with(at(""))) names.push_back(path.substr(at("").size()));
    }
    return names;
  }

  TemporaryFolder folder;
  Environment environment;
};

constexpr const char* kRemote =
    R"({"Name":"remote","Metadata":{},"Endpoints":{"docker":{"Host":"tcp://10.1.2.3:2376","SkipTLSVerify":false}}})";

}  // namespace

TEST_CASE("the option wins over the variable, the variable over the context") {
  Home home;
  home.put("/.docker/config.json", R"({"currentContext":"remote"})");
  home.put_context("a1", kRemote);
  home.put_socket("/run/docker.sock");
  CHECK(home.one().source == "the docker context remote");
  CHECK(home.one().target.host == "10.1.2.3");
  home.environment["DOCKER_HOST"] = "tcp://10.0.0.1";
  CHECK(home.one().source == "DOCKER_HOST");
  CHECK(home.one().target.host == "10.0.0.1");
  const Address option = home.one("ssh://me@far");
  CHECK(option.source == "--docker-host");
  CHECK(option.ssh);
  home.environment["DOCKER_HOST"] = "";
  CHECK(home.one().source == "the docker context remote");
}

TEST_CASE("a broken option or variable is said, not passed over") {
  Home home;
  CHECK(home.trouble("docker.sock").find("\"docker.sock\" from --docker-host is no address of an engine") == 0);
  home.environment["DOCKER_HOST"] = "run/docker.sock";
  CHECK(home.trouble().find("\"run/docker.sock\" from DOCKER_HOST is no address of an engine") == 0);
}

TEST_CASE("certificates come with the variables, and never without verification") {
  Home home;
  home.put("/certs/ca.pem", "");
  home.put("/certs/cert.pem", "");
  home.put("/certs/key.pem", "");
  home.environment["DOCKER_HOST"] = "tcp://h";
  CHECK_FALSE(home.one().target.tls.enabled);
  home.environment["DOCKER_CERT_PATH"] = home.at("/certs");
  const http::Tls tls = home.one().target.tls;
  CHECK(tls.enabled);
  CHECK(tls.verify);
  CHECK(tls.ca == home.at("/certs/ca.pem"));
  CHECK(tls.certificate == home.at("/certs/cert.pem"));
  CHECK(tls.key == home.at("/certs/key.pem"));
  CHECK(home.one().target.port == 2376);
  CHECK(home.one("tcp://other").target.tls.ca == home.at("/certs/ca.pem"));

  SECTION("a Unix socket needs none") {
    home.environment["DOCKER_CERT_PATH"] = "nonsense";
    CHECK_FALSE(home.one("unix:///x").target.tls.enabled);
  }
  SECTION("without DOCKER_CERT_PATH they are docker's own") {
    home.environment.erase("DOCKER_CERT_PATH");
    home.environment["DOCKER_TLS_VERIFY"] = "1";
    home.put("/.docker/ca.pem", "");
    CHECK(home.one().target.tls.ca == home.at("/.docker/ca.pem"));
    CHECK(home.one().target.tls.certificate.empty());
  }
  SECTION("half a pair is an error") {
    fs::remove(home.at("/certs/key.pem"));
    CHECK(home.trouble() == home.at("/certs") + " has only one of cert.pem and key.pem");
  }
  SECTION("a relative folder is an error") {
    home.environment["DOCKER_CERT_PATH"] = "certs";
    CHECK(home.trouble() == "DOCKER_CERT_PATH is no absolute path: certs");
  }
}

TEST_CASE("a context is found by the name in its file, with its TLS files") {
  Home home;
  home.put_context("b0", R"({"Name":"other","Endpoints":{"docker":{"Host":"unix:///other.sock"}}})");
  home.put_context("a1", kRemote);
  home.put("/.docker/contexts/tls/a1/docker/ca.pem", "");
  home.put("/.docker/contexts/tls/a1/docker/cert.pem", "");
  home.put("/.docker/contexts/tls/a1/docker/key.pem", "");
  home.put("/.docker/config.json", R"({"auths":{},"currentContext":"remote"})");
  const Address remote = home.one();
  CHECK(remote.target.tls.enabled);
  CHECK(remote.target.tls.verify);
  CHECK(remote.target.tls.key == home.at("/.docker/contexts/tls/a1/docker/key.pem"));
  CHECK(remote.target.name == "tcp://10.1.2.3:2376");

  home.environment["DOCKER_CONTEXT"] = "other";
  CHECK(home.one().target.unix_socket == "/other.sock");
  CHECK(home.one().source == "the docker context other");

  home.put_context("c2", R"({"Name":"lax","Endpoints":{"docker":{"Host":"tcp://h","SkipTLSVerify":true}}})");
  home.environment["DOCKER_CONTEXT"] = "lax";
  CHECK(home.one().target.tls.enabled);
  CHECK_FALSE(home.one().target.tls.verify);

  fs::rename(home.at("/.docker"), home.at("/elsewhere"));
  home.environment["DOCKER_CONFIG"] = home.at("/elsewhere");
  home.environment["DOCKER_CONTEXT"] = "";
  CHECK(home.one().target.host == "10.1.2.3");
}

TEST_CASE("a context that cannot be used is named, with what is wrong") {
  Home home;
  home.environment["DOCKER_CONTEXT"] = "remote";
  const std::string start = "cannot use the docker context \"remote\": ";
  const std::string metas = home.at("/.docker/contexts/meta");
  CHECK(home.trouble() == start + "it is not in " + metas);
  home.put_context("x", "{");
  CHECK(home.trouble() == start + metas + "/x/meta.json holds no JSON object");
  home.put_context("x", R"({"Name":"remote"})");
  CHECK(home.trouble() == start + metas + "/x/meta.json names no docker host");
  home.put_context("x", R"({"Name":"remote","Endpoints":{"docker":{"Host":7}}})");
  CHECK(home.trouble() == start + metas + "/x/meta.json names no docker host");
  home.put_context("x", R"({"Name":"remote","Endpoints":["docker"]})");
  CHECK(home.trouble() == start + metas + "/x/meta.json names no docker host");
  home.put_context("x", R"({"Name":"remote","Endpoints":{"docker":{"Host":"unix://docker.sock"}}})");
  CHECK(home.trouble().find(start + "\"unix://docker.sock\" from the docker context remote is no address") == 0);
  home.put_context("x", kRemote);
  home.put("/.docker/contexts/tls/x/docker/cert.pem", "");
  CHECK(home.trouble() == start + home.at("/.docker/contexts/tls/x/docker") + " has only one of cert.pem and key.pem");
  home.environment["DOCKER_CONFIG"] = "relative";
  CHECK(home.trouble() == "the docker folder \"relative\" is no absolute path");
  home.environment["DOCKER_CONFIG"] = "";
  home.environment["HOME"] = "";
  CHECK(home.trouble() == start + "there is no home folder to find it in");
}

TEST_CASE("a broken config.json is said, an absent one and the default context are not") {
  Home home;
  home.put_socket("/run/docker.sock");
  CHECK(home.sockets() == std::vector<std::string>{"/run/docker.sock"});
  home.put("/.docker/config.json", R"({"currentContext":"default"})");
  CHECK(home.sockets() == std::vector<std::string>{"/run/docker.sock"});
  home.put("/.docker/config.json", R"({"currentContext":3})");
  CHECK(home.sockets() == std::vector<std::string>{"/run/docker.sock"});
  home.environment["DOCKER_CONTEXT"] = "default";
  home.put("/.docker/config.json", "currentContext=remote");
  CHECK(home.sockets() == std::vector<std::string>{"/run/docker.sock"});
  home.environment.erase("DOCKER_CONTEXT");
  CHECK(home.trouble() ==
        "cannot tell the current docker context: " + home.at("/.docker/config.json") + " holds no JSON object");
  home.put("/.docker/config.json", std::string(5'000, '['));
  CHECK(home.trouble().find("holds no JSON object") != std::string::npos);
}

TEST_CASE("sockets are tried at their usual places, each once, and only if they are sockets") {
  Home home;
  CHECK(home.sockets().empty());
  home.put_socket("/run/podman/podman.sock");
  home.put_socket("/.colima/default/docker.sock");
  home.put_socket("/.docker/desktop/docker.sock");
  home.put_socket("/run/docker.sock");
  fs::create_directories(home.at("/.docker/run"));
  fs::create_symlink(home.at("/.docker/desktop/docker.sock"), home.at("/.docker/run/docker.sock"));
  home.put("/.config/colima/default/docker.sock", "a plain file");
  CHECK(home.sockets() == std::vector<std::string>{"/run/docker.sock", "/.docker/run/docker.sock",
                                                   "/.colima/default/docker.sock", "/run/podman/podman.sock"});
  CHECK(home.sockets(Flavor::kPodman) == std::vector<std::string>{"/run/podman/podman.sock"});
}

TEST_CASE("the known sockets are named whether they exist or not") {
  const Environment environment = {{"HOME", "/home/me"}, {"XDG_RUNTIME_DIR", "/run/user/7"}};
  const std::vector<std::string> all = known_sockets(Flavor::kAny, environment);
  for (const char* path :
       {"/var/run/docker.sock", "/run/user/7/docker.sock", "/home/me/.docker/run/docker.sock",
        "/home/me/.docker/desktop/docker.sock", "/home/me/.colima/default/docker.sock",
        "/home/me/.config/colima/default/docker.sock", "/run/podman/podman.sock", "/run/user/7/podman/podman.sock"}) {
    CHECK(std::count(all.begin(), all.end(), path) == 1);
  }
  CHECK(known_sockets(Flavor::kPodman, environment) ==
        std::vector<std::string>{"/run/podman/podman.sock", "/run/user/7/podman/podman.sock"});
  // A stripped environment: the runtime folder is where login managers put it, and no relative path is made up.
  for (const std::string& path : known_sockets(Flavor::kAny, {{"HOME", "relative"}, {"XDG_RUNTIME_DIR", "x"}})) {
    CHECK(path[0] == '/');
    CHECK(path.find("relative") == std::string::npos);
  }
}

TEST_CASE("podman has its own variable, and leaves docker's to docker") {
  Home home;
  home.put("/.docker/config.json", R"({"currentContext":"remote"})");
  home.put_context("a1", kRemote);
  home.put_socket("/run/podman/podman.sock");
  home.environment["DOCKER_HOST"] = "unix:///var/run/docker.sock";
  CHECK(home.sockets(Flavor::kPodman) == std::vector<std::string>{"/run/podman/podman.sock"});
  home.environment["DOCKER_HOST"] = "unix:///run/user/5/podman/podman.sock";
  CHECK(home.one("", Flavor::kPodman).source == "DOCKER_HOST");
  home.environment["CONTAINER_HOST"] = "ssh://far/run/podman/podman.sock";
  const Address address = home.one("", Flavor::kPodman);
  CHECK(address.source == "CONTAINER_HOST");
  CHECK(address.ssh);
  CHECK(home.one().source == "DOCKER_HOST");
  CHECK(home.one("unix:///x", Flavor::kPodman).source == "--docker-host");
}
