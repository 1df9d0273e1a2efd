#include "engine/oci/network.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "base/file.h"
#include "engine/oci/bundle.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
using namespace bashcell::engine::oci;

namespace {

const RootEntry* entry_at(const RootPlan& plan, const std::string& path) {
  for (const RootEntry& entry : plan) {
    if (entry.path == path) return &entry;
  }
  return nullptr;
}

std::string content_at(const RootPlan& plan, const std::string& path) {
  const RootEntry* const entry = entry_at(plan, path);
  return entry == nullptr ? "nothing" : entry->content;
}

}  // namespace

TEST_CASE("without a name there is no network") {
  for (const bool rootless : {false, true}) {
    const auto plan = plan_network("", rootless);
    REQUIRE(plan);
    CHECK_FALSE(plan->wanted());
    CHECK(plan->resolv_conf.empty());
    CHECK_FALSE(plan->of_host);
  }
}

TEST_CASE("a network of another engine's is refused with what is allowed") {
  for (const char* name : {"lab", "host", "bridge"}) {
    const auto plan = plan_network(name, false);
    REQUIRE_FALSE(plan);
    CHECK(plan.error().message.find("it takes pasta") != std::string::npos);
  }
}

TEST_CASE("only a cell with a network knows of a name server") {
  const auto without = plan_root(CellSpec{});
  const auto with = plan_root(CellSpec{}, "nameserver 10.0.2.3\n");
  REQUIRE((without && with));
  CHECK(entry_at(*without, "etc/resolv.conf")->content.empty());
  CHECK(entry_at(*without, "run/cell/resolv.conf") == nullptr);
  CHECK(content_at(*without, "etc/nsswitch.conf").find("hosts: files\n") != std::string::npos);
  CHECK(entry_at(*with, "etc/resolv.conf")->source == kResolvConf);
  CHECK(content_at(*with, "run/cell/resolv.conf") == "nameserver 10.0.2.3\n");
  CHECK(content_at(*with, "etc/nsswitch.conf").find("hosts: files dns\n") != std::string::npos);
}

TEST_CASE("a given root's own resolv.conf is covered, where it has one") {
  const TemporaryFolder folder;
  CellSpec spec;
  spec.rootfs = folder.path().string();
  for (const char* name : {"/usr", "/etc"}) REQUIRE(::mkdir((spec.rootfs + name).c_str(), 0755) == 0);
  const auto source = [&](const std::string& nameserver) {
    const auto plan = plan_root(spec, nameserver);
    REQUIRE(plan);
    const auto config = make_config(spec, "cell", "/skeleton", *plan, CgroupPlan{}, HostFacts{});
    for (const auto& mount : config["mounts"]) {
      if (mount["destination"] == "/etc/resolv.conf") return mount["source"].get<std::string>();
    }
    return std::string("none");
  };
  CHECK(source("10.0.2.3") == "none");
  REQUIRE(base::write_file(spec.rootfs + "/etc/resolv.conf", "nameserver 127.0.0.53\n"));
  CHECK(source("10.0.2.3") == "/skeleton/run/cell/resolv.conf");
  CHECK(source("") == "none");
}

TEST_CASE("a cell joins the namespace that was made for it, and no other") {
  CellNetwork network;
  network.namespace_path = "/proc/17/ns/net";
  const auto config = make_config(CellSpec{}, "cell", "/skeleton", {}, CgroupPlan{}, HostFacts{}, network);
  for (const auto& one : config["linux"]["namespaces"]) {
    CHECK(one.contains("path") == (one["type"] == "network"));
    if (one.contains("path")) CHECK(one["path"] == "/proc/17/ns/net");
  }
}

TEST_CASE("an installer cell has a network in any case, and this machine's only without a program for one") {
  for (const bool rootless : {false, true}) {
    const NetworkPlan plan = plan_installer_network(rootless);
    CHECK(plan.of_host != plan.wanted());
  }
  CellNetwork network;
  network.of_host = true;
  const auto config = make_config(CellSpec{}, "cell", "/skeleton", {}, CgroupPlan{}, HostFacts{}, network);
  for (const auto& one : config["linux"]["namespaces"]) CHECK(one["type"] != "network");
}

TEST_CASE("only an installer cell sees the package manager's configuration, and never its passwords") {
  CellSpec spec;
  CHECK(entry_at(*plan_root(spec), "etc/apt") == nullptr);
  CHECK(entry_at(*plan_root(spec), "var/lib/dpkg") == nullptr);
  spec.installer = true;
  const auto plan = plan_root(spec, "nameserver 10.0.2.3\n");
  REQUIRE(plan);
  CHECK(entry_at(*plan, "etc/apt") != nullptr);
  for (const RootEntry& entry : *plan) {
    INFO(entry.source);
    CHECK(entry.source.find("auth.conf") == std::string::npos);
    CHECK(entry.source != "/etc/apt");
  }
}

TEST_CASE("a program that gives no network is said, with its words, and does not stay") {
  const TemporaryFolder folder;
  NetworkPlan plan;
  plan.program = NetworkProgram::kSlirp4netns;
  plan.path = folder.path().string() + "/false-network";
  REQUIRE(base::write_file(plan.path,
                           "#!/bin/sh\necho Failed to send 7 bytes to syslog\necho no tap for $4 >&2\nexit 1\n", 0755));
  const auto network = start_network(plan, 1'999'999'999);
  REQUIRE_FALSE(network);
  CHECK(network.error().message == plan.path + " gives the cell no network: no tap for 1999999999");
}

TEST_CASE("the program ends when its other end is closed") {
  const TemporaryFolder folder;
  NetworkPlan plan;
  plan.program = NetworkProgram::kSlirp4netns;
  plan.path = folder.path().string() + "/long-network";
  REQUIRE(base::write_file(plan.path, "#!/bin/sh\nexec sleep 60\n", 0755));
  // This machine's own namespace stands for a cell's. Without a route in it, there is nothing to test.
  auto network = start_network(plan, ::getpid());
  if (!network) {
    CHECK(network.error().message.find("no route within 5 s") != std::string::npos);
    return;
  }
  CHECK(network->process.running());
  CHECK_FALSE(network->process.poll());
  network->life.reset();
  const auto status = network->process.wait(base::Duration(10'000));
  REQUIRE(status);
  CHECK(status->signaled);
  CHECK(status->code == SIGTERM);
}
