#include "commands/limit_table.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace bashcell::commands {
namespace {

// A cell that is all that was asked for.
wire::CellFacts good_facts() {
  wire::CellFacts facts;
  facts.uid = 1000;
  facts.gid = 1000;
  facts.pid = 1;
  facts.memory_bytes = int64_t{512} << 20;
  facts.swap_bytes = 0;
  facts.cpu_quota_us = 10'000;
  facts.cpu_period_us = 20'000;
  facts.pids = 50;
  facts.tmp_bytes = int64_t{256} << 20;
  facts.root_read_only = true;
  facts.no_new_privs = true;
  facts.seccomp_mode = 2;
  facts.capabilities = "0000000000000000";
  facts.network_interfaces = {"lo"};
  facts.workspace_writable = true;
  facts.shell = "/bin/bash";
  return facts;
}

LimitRow row(const wire::CellFacts& facts, const std::string& what) {
  const std::vector<LimitRow> rows = limit_rows(engine::CellSpec{}, facts);
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const LimitRow& r) { return r.what == what; });
  REQUIRE(found != rows.end());
  return *found;
}

TEST_CASE("a cell that is as ordered is ok in every row") {
  const std::vector<LimitRow> rows = limit_rows(engine::CellSpec{}, good_facts());
  CHECK(rows.size() == 14);
  for (const LimitRow& each : rows) {
    CAPTURE(each.what, each.wanted, each.found);
    CHECK(each.ok);
  }
}

TEST_CASE("each fault shows in its own row and in no other") {
  struct Fault {
    const char* what;
    void (*plant)(wire::CellFacts&);
    bool required;
    const char* found;
  };
  const Fault fault = GENERATE(
      Fault{"memory", [](wire::CellFacts& f) { f.memory_bytes = -1; }, false, "no limit"},
      Fault{"memory", [](wire::CellFacts& f) { f.memory_bytes *= 2; }, false, "1024 MB"},
      Fault{"swap on top", [](wire::CellFacts& f) { f.swap_bytes = 1 << 20; }, false, "1 MB"},
      Fault{"cpus", [](wire::CellFacts& f) { f.cpu_quota_us = 30'000; }, false, "1.5"},
      Fault{"cpus", [](wire::CellFacts& f) { f.cpu_quota_us = -1; }, false, "no limit"},
      Fault{"processes", [](wire::CellFacts& f) { f.pids = -1; }, false, "no limit"},
      Fault{"/tmp", [](wire::CellFacts& f) { f.tmp_bytes = -1; }, true, "no limit"},
      Fault{"user", [](wire::CellFacts& f) { f.uid = 0; }, true, "0:1000"},
      Fault{"own processes only", [](wire::CellFacts& f) { f.pid = 4711; }, true, "no"},
      Fault{"network",
            [](wire::CellFacts& f) {
              f.network_interfaces = {"lo", "eth0\n"};
            },
            true, "lo, eth0?"},
      Fault{"root read-only", [](wire::CellFacts& f) { f.root_read_only = false; }, true, "no"},
      Fault{"capabilities", [](wire::CellFacts& f) { f.capabilities = "00000000a80425fb"; }, true, "00000000a80425fb"},
      Fault{"no_new_privs", [](wire::CellFacts& f) { f.no_new_privs = false; }, true, "no"},
      Fault{"system calls filtered", [](wire::CellFacts& f) { f.seccomp_mode = 0; }, true, "no"},
      Fault{"workspace writable", [](wire::CellFacts& f) { f.workspace_writable = false; }, true, "no"},
      Fault{"bash", [](wire::CellFacts& f) { f.shell.clear(); }, true, "none"});
  wire::CellFacts facts = good_facts();
  fault.plant(facts);
  CAPTURE(fault.what);
  const LimitRow faulty = row(facts, fault.what);
  CHECK_FALSE(faulty.ok);
  CHECK(faulty.required == fault.required);
  CHECK(faulty.found == fault.found);
  const std::vector<LimitRow> rows = limit_rows(engine::CellSpec{}, facts);
  CHECK(std::count_if(rows.begin(), rows.end(), [](const LimitRow& r) { return !r.ok; }) == 1);
}

TEST_CASE("swap that the machine does not have is no fault") {
  wire::CellFacts facts = good_facts();
  facts.swap_present = false;
  facts.swap_bytes = -1;
  CHECK(row(facts, "swap on top").ok);
  CHECK(row(facts, "swap on top").found == "none on this machine");
}

}  // namespace
}  // namespace bashcell::commands
