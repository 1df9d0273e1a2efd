#include "sandbox/limit_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace bashcell::sandbox {

namespace {

constexpr int64_t kPage = 64 * 1024;  // the largest page size of the machines we run on
constexpr double kCpuTolerance = 0.01;

std::string megabytes(int64_t bytes) { return fmt::format("{} MB", bytes >> 20); }

// Only to be read, as long as it is short: names come from inside.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ", ";
    text += name.substr(0, 32);
    if (text.size() > 200) return text + " ...";
  }
  return text;
}

void check_identity(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& hard) {
  if (facts.uid != int64_t{spec.user.uid} || facts.gid != int64_t{spec.user.gid}) {
    hard.push_back(
        fmt::format("scripts would run as {}:{} instead of {}:{}", facts.uid, facts.gid, spec.user.uid, spec.user.gid));
  }
  if (facts.pid != 1)
    hard.push_back(
        fmt::format("the cell has no process namespace of its own (the supervisor is process {})", facts.pid));
}

void check_hardening(const wire::CellFacts& facts, std::vector<std::string>& hard) {
  if (!facts.root_read_only) hard.emplace_back("the root file system is writable");
  if (!facts.no_new_privs) hard.emplace_back("no_new_privs is not set");
  if (facts.seccomp_mode != 2) hard.emplace_back("system calls are not filtered (seccomp)");
  // Nothing but zeros: a text that is empty was not read at all.
  if (facts.capabilities.empty()) {
    hard.emplace_back("the capabilities could not be read");
  } else if (facts.capabilities.find_first_not_of('0') != std::string::npos) {
    hard.push_back("capabilities are left (" + facts.capabilities.substr(0, 32) + ")");
  }
}

void check_network(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& hard) {
  if (!spec.network.empty() || spec.installer) return;  // asked for
  std::vector<std::string> beyond_loopback;
  for (const std::string& name : facts.network_interfaces) {
    if (name != "lo") beyond_loopback.push_back(name);
  }
  if (!beyond_loopback.empty()) hard.push_back("there is a network (" + joined(beyond_loopback) + ")");
}

void check_memory(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& soft) {
  if (facts.memory_bytes < 0) {
    soft.push_back("memory is not limited to " + megabytes(spec.memory_bytes));
  } else if (facts.memory_bytes >= spec.memory_bytes + kPage) {
    soft.push_back(fmt::format("memory is limited to {} instead of {}", megabytes(facts.memory_bytes),
                               megabytes(spec.memory_bytes)));
  }
  if (facts.swap_present && facts.swap_bytes != 0) {
    soft.push_back(facts.swap_bytes < 0 ? std::string("swap is not limited")
                                        : fmt::format("{} of swap can be used on top", megabytes(facts.swap_bytes)));
  }
}

void check_cpu(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& soft) {
  if (facts.cpu_quota_us <= 0 || facts.cpu_period_us <= 0) {
    soft.push_back(fmt::format("cpu time is not limited to {:.4g} cpus", spec.cpus));
    return;
  }
  const double share = static_cast<double>(facts.cpu_quota_us) / static_cast<double>(facts.cpu_period_us);
  if (share > spec.cpus * (1 + kCpuTolerance)) {
    soft.push_back(fmt::format("cpu time is limited to {:.4g} cpus instead of {:.4g}", share, spec.cpus));
  }
}

void check_pids(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& soft) {
  if (facts.pids < 0) {
    soft.push_back(fmt::format("the number of processes is not limited to {}", spec.pids));
  } else if (facts.pids > spec.pids) {
    soft.push_back(fmt::format("the number of processes is limited to {} instead of {}", facts.pids, spec.pids));
  }
}

void check_tmp(const engine::CellSpec& spec, const wire::CellFacts& facts, std::vector<std::string>& hard) {
  if (facts.tmp_bytes < 0 || facts.tmp_bytes >= spec.tmp_bytes + kPage) {
    hard.push_back("/tmp is not limited to " + megabytes(spec.tmp_bytes));
  }
}

// An engine in a virtual machine of its own numbers files by itself: there only places and flags can be compared.
void check_protection(const engine::Protection& protection, const wire::CellFacts& facts,
                      std::vector<std::string>& hard) {
  const bool same_numbers = facts.workspace_device == protection.device && facts.workspace_inode == protection.inode;
  for (const engine::ProtectedPath& path : protection.paths) {
    const auto mount = std::find_if(facts.workspace_mounts.begin(), facts.workspace_mounts.end(),
                                    [&](const wire::WorkspaceMount& candidate) { return candidate.name == path.name; });
    if (mount == facts.workspace_mounts.end() || (path.read_only && !mount->read_only)) {
      hard.push_back(path.name + " in the workspace is not protected (--protect off does without)");
    } else if (same_numbers && (mount->device != path.device || mount->inode != path.inode)) {
      hard.push_back(path.name + " in the workspace was replaced while the cell started");
    }
    if (hard.size() > 8) return;
  }
}

}  // namespace

LimitCheck check_limits(const engine::CellSpec& spec, const wire::CellFacts& facts) {
  LimitCheck check;
  check_identity(spec, facts, check.hard);
  check_hardening(facts, check.hard);
  check_network(spec, facts, check.hard);
  check_tmp(spec, facts, check.hard);
  check_protection(spec.protection, facts, check.hard);
  check_memory(spec, facts, check.soft);
  check_cpu(spec, facts, check.soft);
  check_pids(spec, facts, check.soft);
  return check;
}

}  // namespace bashcell::sandbox
