#include "sandbox/limit_check.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace bashcell;
using namespace bashcell::sandbox;

namespace {

// As the default spec wants it.
wire::CellFacts good_facts() {
  wire::CellFacts facts;
  facts.uid = facts.gid = 1000;
  facts.pid = 1;
  facts.memory_bytes = int64_t{512} << 20;
  facts.swap_bytes = 0;
  facts.swap_present = true;
  facts.cpu_quota_us = 10'000;
  facts.cpu_period_us = 20'000;
  facts.pids = 50;
  facts.tmp_bytes = int64_t{256} << 20;
  facts.root_read_only = true;
  facts.no_new_privs = true;
  facts.seccomp_mode = 2;
  facts.capabilities = "0";
  facts.network_interfaces = {"lo"};
  facts.workspace_writable = true;
  facts.shell = "/bin/bash";
  return facts;
}

struct Row {
  const char* what;
  std::function<void(wire::CellFacts&)> change;
};

}  // namespace

TEST_CASE("a cell that is as ordered has no violations") {
  const LimitCheck check = check_limits({}, good_facts());
  CHECK(check.hard.empty());
  CHECK(check.soft.empty());
  CHECK(check.acceptable(engine::LimitsPolicy::kStrict));
}

TEST_CASE("only an installer cell may have a network that nobody named") {
  engine::CellSpec spec;
  wire::CellFacts facts = good_facts();
  facts.network_interfaces = {"lo", "eth0"};
  CHECK_FALSE(check_limits(spec, facts).hard.empty());
  spec.installer = true;
  CHECK(check_limits(spec, facts).hard.empty());
}

TEST_CASE("a cell in which something protected is not is refused") {
  engine::CellSpec spec;
  spec.protection = {.paths = {{.name = ".git", .read_only = false, .device = 1, .inode = 3},
                               {.name = ".git/hooks", .device = 1, .inode = 4}},
                     .device = 1,
                     .inode = 2};
  wire::CellFacts facts = good_facts();
  facts.workspace_device = 1;
  facts.workspace_inode = 2;
  const std::string missing = ".git/hooks in the workspace is not protected (--protect off does without)";
  CHECK(check_limits(spec, facts).hard ==
        std::vector<std::string>{".git in the workspace is not protected (--protect off does without)", missing});
  facts.workspace_mounts = {{.name = ".git", .read_only = false, .device = 1, .inode = 3},
                            {.name = ".git/hooks", .read_only = false, .device = 1, .inode = 4}};
  CHECK(check_limits(spec, facts).hard == std::vector<std::string>{missing});
  facts.workspace_mounts[1].read_only = true;
  CHECK(check_limits(spec, facts).hard.empty());
  facts.workspace_mounts[1].inode = 5;
  CHECK(check_limits(spec, facts).hard ==
        std::vector<std::string>{".git/hooks in the workspace was replaced while the cell started"});
  facts.workspace_inode = 6;  // another machine's numbers
  CHECK(check_limits(spec, facts).hard.empty());
}

TEST_CASE("missing isolation refuses the cell whatever the policy") {
  const std::vector<Row> rows = {
      {"writable", [](wire::CellFacts& f) { f.root_read_only = false; }},
      {"capabilities are left (8)", [](wire::CellFacts& f) { f.capabilities = "8"; }},
      {"capabilities could not be read", [](wire::CellFacts& f) { f.capabilities.clear(); }},
      {"no_new_privs", [](wire::CellFacts& f) { f.no_new_privs = false; }},
      {"seccomp", [](wire::CellFacts& f) { f.seccomp_mode = 0; }},
      {"seccomp", [](wire::CellFacts& f) { f.seccomp_mode = -1; }},
      {"network (eth0)",
       [](wire::CellFacts& f) {
         f.network_interfaces = {"lo", "eth0"};
       }},
      {"0:1000 instead of 1000:1000", [](wire::CellFacts& f) { f.uid = 0; }},
      {"1000:5 instead of 1000:1000", [](wire::CellFacts& f) { f.gid = 5; }},
      {"process namespace", [](wire::CellFacts& f) { f.pid = 4711; }},
      {"/tmp is not limited to 256 MB", [](wire::CellFacts& f) { f.tmp_bytes = int64_t{8} << 30; }},
      {"/tmp is not limited to 256 MB", [](wire::CellFacts& f) { f.tmp_bytes = -1; }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    wire::CellFacts facts = good_facts();
    row.change(facts);
    const LimitCheck check = check_limits({}, facts);
    REQUIRE(check.hard.size() == 1);
    CHECK(check.hard[0].find(row.what) != std::string::npos);
    CHECK(check.soft.empty());
    CHECK_FALSE(check.acceptable(engine::LimitsPolicy::kBestEffort));
  }
}

TEST_CASE("cgroup numbers refuse the cell unless the policy is best effort") {
  const std::vector<Row> rows = {
      {"memory is not limited to 512 MB", [](wire::CellFacts& f) { f.memory_bytes = -1; }},
      {"1024 MB instead of 512 MB", [](wire::CellFacts& f) { f.memory_bytes = int64_t{1} << 30; }},
      {"swap is not limited", [](wire::CellFacts& f) { f.swap_bytes = -1; }},
      {"512 MB of swap", [](wire::CellFacts& f) { f.swap_bytes = int64_t{512} << 20; }},
      {"cpu time is not limited to 0.5 cpus", [](wire::CellFacts& f) { f.cpu_quota_us = -1; }},
      {"1 cpus instead of 0.5", [](wire::CellFacts& f) { f.cpu_quota_us = 20'000; }},
      {"processes is not limited to 50", [](wire::CellFacts& f) { f.pids = -1; }},
      {"60 instead of 50", [](wire::CellFacts& f) { f.pids = 60; }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    wire::CellFacts facts = good_facts();
    row.change(facts);
    const LimitCheck check = check_limits({}, facts);
    CHECK(check.hard.empty());
    REQUIRE(check.soft.size() == 1);
    CHECK(check.soft[0].find(row.what) != std::string::npos);
    CHECK_FALSE(check.acceptable(engine::LimitsPolicy::kStrict));
    CHECK(check.acceptable(engine::LimitsPolicy::kBestEffort));
  }
}

TEST_CASE("differences that do not matter are no violations") {
  const std::vector<Row> rows = {
      {"rounded to a page", [](wire::CellFacts& f) { f.memory_bytes += 4095; }},
      {"tighter",
       [](wire::CellFacts& f) {
         f.memory_bytes /= 2;
         f.pids = 20;
         f.tmp_bytes = 1 << 20;
       }},
      {"same share of another period",
       [](wire::CellFacts& f) {
         f.cpu_quota_us = 50'000;
         f.cpu_period_us = 100'000;
       }},
      {"no swap on the machine",
       [](wire::CellFacts& f) {
         f.swap_present = false;
         f.swap_bytes = -1;
       }},
      {"no network at all", [](wire::CellFacts& f) { f.network_interfaces.clear(); }},
      {"zeros", [](wire::CellFacts& f) { f.capabilities = "0000000000000000"; }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    wire::CellFacts facts = good_facts();
    row.change(facts);
    const LimitCheck check = check_limits({}, facts);
    CHECK(check.hard.empty());
    CHECK(check.soft.empty());
  }
}

TEST_CASE("names from inside cannot make a sentence of any length") {
  wire::CellFacts facts = good_facts();
  facts.network_interfaces.assign(10'000, std::string(1000, 'x'));
  facts.capabilities = std::string(100'000, 'f');
  for (const std::string& sentence : check_limits({}, facts).hard) CHECK(sentence.size() < 300);
}
