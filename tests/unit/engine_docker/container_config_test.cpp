#include "engine/docker/container_config.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/docker/delivery.h"

using namespace bashcell;
using namespace bashcell::engine;
using namespace bashcell::engine::docker;
using nlohmann::json;

namespace {

CellSpec spec_of_a_cell() {
  CellSpec spec;
  spec.image = "python:3.11-slim";
  spec.workspace = "/home/user/project";
  return spec;
}

json container(const CellSpec& spec, const ImageFacts& image = {}, const EngineFacts& engine = {}) {
  return make_container(
      spec, {.name = "bashcell-1-2-abcdef01-00000001", .host = "h", .mounts = json::array(), .seccomp = "{}"}, image,
      engine);
}

bool holds(const json& list, const std::string& entry) {
  return std::find(list.begin(), list.end(), json(entry)) != list.end();
}

}  // namespace

TEST_CASE("a container is as hard as an oci cell") {
  const json config = container(spec_of_a_cell());
  const json& host = config["HostConfig"];
  CHECK(host["Memory"] == 512 << 20);
  CHECK(host["MemorySwap"] == host["Memory"]);
  CHECK(host["CpuQuota"] == 10'000);
  CHECK(host["CpuPeriod"] == 20'000);
  CHECK(host["PidsLimit"] == 50);
  CHECK(host["NetworkMode"] == "none");
  CHECK(host["ReadonlyRootfs"] == true);
  CHECK(host["CapDrop"] == json{"ALL"});
  CHECK(host["SecurityOpt"] == json{"no-new-privileges", "seccomp={}"});
  CHECK(host["Privileged"] == false);
  CHECK(host["IpcMode"] == "private");
  CHECK(host["AutoRemove"] == true);
  CHECK(host["LogConfig"]["Type"] == "none");
  CHECK(host["Init"] == false);
  CHECK(host["Tmpfs"]["/tmp"].get<std::string>().find("nosuid,nodev,exec,mode=1777,size=268435456,nr_inodes=") !=
        std::string::npos);
  CHECK(host["Tmpfs"]["/dev/shm"].get<std::string>().find("noexec") != std::string::npos);
  CHECK_FALSE(host.contains("Devices"));
  CHECK_FALSE(host.contains("UsernsMode"));
  CHECK(config["StdinOnce"] == true);
  CHECK(config["OpenStdin"] == true);
  CHECK(config["Tty"] == false);
  CHECK(config["User"] == "1000:1000");
  CHECK(config["Entrypoint"] == json{"/run/cell/bashcell-init"});
  CHECK(config["Cmd"] == json::array());
  CHECK(make_container(spec_of_a_cell(), {.control_socket = true}, {}, {})["Cmd"] ==
        json{"--control-socket", "/run/cell/control"});
  CHECK(config["Healthcheck"]["Test"] == json{"NONE"});
  CHECK(config["Labels"][kCellLabel] == "bashcell-1-2-abcdef01-00000001");
}

TEST_CASE("the image's environment holds, with ours on top and its own path before our helpers") {
  const ImageFacts image{
      .architecture = "", .os = "", .environment = {"PATH=/opt/conda/bin:/bin", "LANG=de_DE", "X=1=2", "broken"}};
  const json environment = container(spec_of_a_cell(), image)["Env"];
  CHECK(holds(environment, "PATH=/opt/conda/bin:/bin:/run/cell/bin"));
  CHECK(holds(environment, "LANG=C.UTF-8"));
  CHECK(holds(environment, "X=1=2"));
  CHECK_FALSE(holds(environment, "broken"));
  CHECK(holds(container(spec_of_a_cell())["Env"],
              "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/cell/bin"));
}

TEST_CASE("toolbox and shelf are bound where the run folder is, and looked into last") {
  CellSpec spec = spec_of_a_cell();
  CHECK(bind_host_folders(spec).empty());
  spec.toolbox = "/var/cache/box";
  spec.shelf = "/var/lib/shelf";
  const json mounts = bind_host_folders(spec);
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0]["Source"] == "/var/cache/box");
  CHECK(mounts[0]["Target"] == "/run/cell/tools");
  CHECK(mounts[0]["ReadOnly"] == true);
  CHECK(mounts[1]["Source"] == "/var/lib/shelf");
  CHECK(mounts[1]["Target"] == "/run/cell/shelf");
  CHECK(mounts[1]["ReadOnly"] == true);
  ImageFacts image;
  image.environment = {"PATH=/opt/bin:/bin"};
  const json environment = container(spec, image)["Env"];
  CHECK(holds(environment, "PATH=/opt/bin:/bin:/run/cell/bin:/run/cell/tools/bin:/run/cell/shelf/bin"));
  CHECK(holds(environment, "PYTHONUSERBASE=/run/cell/tools/python"));
}

TEST_CASE("what is protected is bound over the workspace") {
  CellSpec spec = spec_of_a_cell();
  spec.workspace = "/srv/work";
  CHECK(bind_workspace(spec).size() == 1);
  spec.protection.paths = {{.name = ".git", .read_only = false}, {.name = ".git/hooks"}};
  const json mounts = bind_workspace(spec);
  REQUIRE(mounts.size() == 3);
  CHECK(mounts[0]["Target"] == "/workspace");
  CHECK(mounts[1]["Target"] == "/workspace/.git");
  CHECK(mounts[1]["ReadOnly"] == false);
  CHECK(mounts[2]["Source"] == "/srv/work/.git/hooks");
  CHECK(mounts[2]["Target"] == "/workspace/.git/hooks");
  CHECK(mounts[2]["ReadOnly"] == true);
}

TEST_CASE("an installer cell gets the engine's own network") {
  CellSpec spec = spec_of_a_cell();
  spec.installer = true;
  CHECK(container(spec)["HostConfig"]["NetworkMode"] == "default");
}

TEST_CASE("podman gets what it understands, and no more writable folders than docker") {
  const json host = container(spec_of_a_cell(), {}, {.podman = true})["HostConfig"];
  CHECK(host["Tmpfs"]["/tmp"].get<std::string>().find("nr_inodes") == std::string::npos);
  CHECK(host["Tmpfs"]["/tmp"].get<std::string>().find("notmpcopyup") != std::string::npos);
  CHECK(host["Tmpfs"]["/run"].get<std::string>().find("mode=755") != std::string::npos);
  CHECK(host["Tmpfs"]["/var/tmp"].get<std::string>().find("mode=755") != std::string::npos);
  CHECK(host["Ulimits"].size() == 3);
  CHECK_FALSE(host.contains("UsernsMode"));
  CHECK(container(spec_of_a_cell(), {}, {.podman = true, .rootless = true})["HostConfig"]["UsernsMode"] == "keep-id");
}

TEST_CASE("a small share of a processor keeps a quota that the kernel takes") {
  CellSpec spec = spec_of_a_cell();
  spec.cpus = 0.01;
  spec.network = "lan";
  const json host = container(spec)["HostConfig"];
  CHECK(host["CpuQuota"].get<int64_t>() >= 1000);
  CHECK(host["CpuQuota"].get<double>() / host["CpuPeriod"].get<double>() == Approx(0.01));
  CHECK(host["NetworkMode"] == "lan");
}
