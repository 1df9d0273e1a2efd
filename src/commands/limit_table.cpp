#include "commands/limit_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "sandbox/limit_check.h"

namespace bashcell::commands {
namespace {

// What PID 1 would read in a cell that is all that was asked for.
wire::CellFacts perfect_facts(const engine::CellSpec& spec) {
  wire::CellFacts facts;
  facts.uid = spec.user.uid;
  facts.gid = spec.user.gid;
  facts.pid = 1;
  facts.memory_bytes = spec.memory_bytes;
  facts.swap_bytes = 0;
  facts.cpu_period_us = spec.cpu_period_us;
  facts.cpu_quota_us = static_cast<int64_t>(spec.cpus * static_cast<double>(spec.cpu_period_us));
  facts.pids = spec.pids;
  facts.tmp_bytes = spec.tmp_bytes;
  facts.root_read_only = true;
  facts.no_new_privs = true;
  facts.seccomp_mode = 2;
  facts.capabilities = "0";
  facts.network_interfaces = {"lo"};
  facts.workspace_writable = true;
  facts.workspace_device = spec.protection.device;
  facts.workspace_inode = spec.protection.inode;
  for (const engine::ProtectedPath& path : spec.protection.paths) {
    facts.workspace_mounts.push_back(
        {.name = path.name, .read_only = path.read_only, .device = path.device, .inode = path.inode});
  }
  return facts;
}

std::string megabytes(int64_t bytes) { return bytes < 0 ? "no limit" : fmt::format("{} MB", bytes >> 20); }

std::string cpus(const wire::CellFacts& facts) {
  if (facts.cpu_quota_us <= 0 || facts.cpu_period_us <= 0) return "no limit";
  return fmt::format("{:.4g}", static_cast<double>(facts.cpu_quota_us) / static_cast<double>(facts.cpu_period_us));
}

std::string swap(const wire::CellFacts& facts) {
  if (!facts.swap_present) return "none on this machine";
  return facts.swap_bytes == 0 ? "none" : megabytes(facts.swap_bytes);
}

// Names come from inside, so only what is printable of them is shown, and not too much.
std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text.substr(0, 80)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown;
}

std::string interfaces(const wire::CellFacts& facts) {
  std::string names;
  for (const std::string& name : facts.network_interfaces) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : printable(names);
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

// Collects rows, and judges each by what the sandbox says of a cell that is perfect but for this.
class Table {
 public:
  Table(const engine::CellSpec& spec, const wire::CellFacts& facts) : spec_(spec), facts_(facts) {}

  template <typename Copy>
  void add(const char* what, std::string wanted, std::string found, Copy copy) {
    wire::CellFacts mixed = perfect_facts(spec_);
    copy(mixed, facts_);
    const sandbox::LimitCheck check = sandbox::check_limits(spec_, mixed);
    rows_.push_back({.ok = check.hard.empty() && check.soft.empty(),
                     .required = !check.hard.empty(),
                     .what = what,
                     .wanted = std::move(wanted),
                     .found = std::move(found)});
  }
  void add_plain(const char* what, bool ok, std::string wanted, std::string found) {
    rows_.push_back({.ok = ok, .required = true, .what = what, .wanted = std::move(wanted), .found = std::move(found)});
  }
  std::vector<LimitRow> take() && { return std::move(rows_); }

 private:
  const engine::CellSpec& spec_;
  const wire::CellFacts& facts_;
  std::vector<LimitRow> rows_;
};

using Facts = wire::CellFacts;

void add_numbers(Table& table, const engine::CellSpec& spec, const Facts& facts) {
  table.add("memory", megabytes(spec.memory_bytes), megabytes(facts.memory_bytes),
            [](Facts& to, const Facts& from) { to.memory_bytes = from.memory_bytes; });
  table.add("swap on top", "none", swap(facts), [](Facts& to, const Facts& from) {
    to.swap_present = from.swap_present;
    to.swap_bytes = from.swap_bytes;
  });
  table.add("cpus", fmt::format("{:.4g}", spec.cpus), cpus(facts), [](Facts& to, const Facts& from) {
    to.cpu_quota_us = from.cpu_quota_us;
    to.cpu_period_us = from.cpu_period_us;
  });
  table.add("processes", std::to_string(spec.pids), facts.pids < 0 ? "no limit" : std::to_string(facts.pids),
            [](Facts& to, const Facts& from) { to.pids = from.pids; });
  table.add("/tmp", megabytes(spec.tmp_bytes), megabytes(facts.tmp_bytes),
            [](Facts& to, const Facts& from) { to.tmp_bytes = from.tmp_bytes; });
}

void add_isolation(Table& table, const engine::CellSpec& spec, const Facts& facts) {
  table.add("user", fmt::format("{}:{}", spec.user.uid, spec.user.gid), fmt::format("{}:{}", facts.uid, facts.gid),
            [](Facts& to, const Facts& from) {
              to.uid = from.uid;
              to.gid = from.gid;
            });
  table.add("own processes only", "yes", yes_no(facts.pid == 1),
            [](Facts& to, const Facts& from) { to.pid = from.pid; });
  table.add("network", spec.network.empty() ? "lo" : spec.network, interfaces(facts),
            [](Facts& to, const Facts& from) { to.network_interfaces = from.network_interfaces; });
  table.add("root read-only", "yes", yes_no(facts.root_read_only),
            [](Facts& to, const Facts& from) { to.root_read_only = from.root_read_only; });
  table.add("capabilities", "none",
            facts.capabilities.find_first_not_of('0') == std::string::npos ? "none" : printable(facts.capabilities),
            [](Facts& to, const Facts& from) { to.capabilities = from.capabilities; });
  table.add("no_new_privs", "yes", yes_no(facts.no_new_privs),
            [](Facts& to, const Facts& from) { to.no_new_privs = from.no_new_privs; });
  table.add("system calls filtered", "yes", yes_no(facts.seccomp_mode == 2),
            [](Facts& to, const Facts& from) { to.seccomp_mode = from.seccomp_mode; });
  if (spec.protection.paths.empty()) return;
  const auto read_only = [](const auto& list) {
    return fmt::format("{} read-only",
                       std::count_if(list.begin(), list.end(), [](const auto& one) { return one.read_only; }));
  };
  table.add("protected files", read_only(spec.protection.paths), read_only(facts.workspace_mounts),
            [](Facts& to, const Facts& from) {
              to.workspace_device = from.workspace_device;
              to.workspace_inode = from.workspace_inode;
              to.workspace_mounts = from.workspace_mounts;
            });
}

}  // namespace

std::vector<LimitRow> limit_rows(const engine::CellSpec& spec, const wire::CellFacts& facts) {
  Table table(spec, facts);
  add_numbers(table, spec, facts);
  add_isolation(table, spec, facts);
  table.add_plain("workspace writable", facts.workspace_writable, "yes", yes_no(facts.workspace_writable));
  table.add_plain("bash", !facts.shell.empty(), "yes", facts.shell.empty() ? "none" : printable(facts.shell));
  return std::move(table).take();
}

}  // namespace bashcell::commands
