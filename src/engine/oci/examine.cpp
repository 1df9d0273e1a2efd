#include "engine/oci/examine.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/oci/cgroup.h"
#include "engine/oci/network.h"
#include "engine/oci/root_plan.h"
#include "engine/oci/runtime.h"
#include "engine/private_folder.h"
#include "engine/seccomp.h"

namespace bashcell::engine::oci {

namespace {

std::string kernel_value(const std::string& path) {
  const base::Result<std::string> text = base::read_file(path);
  return text ? std::string(base::trimmed(*text)) : std::string();
}

std::string kind_name(CgroupKind kind) {
  switch (kind) {
    case CgroupKind::kV1:
      return "v1";
    case CgroupKind::kV2:
      return "v2";
    case CgroupKind::kHybrid:
      return "v1, hybrid";
    case CgroupKind::kNone:
      break;
  }
  return "none";
}

std::string manager_name(CgroupManager manager) {
  switch (manager) {
    case CgroupManager::kCgroupfs:
      return "cgroupfs";
    case CgroupManager::kSystemd:
      return "the user's systemd";
    case CgroupManager::kDisabled:
      break;
  }
  return "nothing";
}

Finding privileges() {
  if (::geteuid() != 0) return {true, "privileges", fmt::format("ordinary user (uid {})", ::geteuid()), {}};
  const std::string status = kernel_value("/proc/self/status");
  const size_t at = status.find("CapEff:\t");
  const uint64_t capabilities = at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + 8, nullptr, 16);
  constexpr int kSysAdmin = 21;
  if ((capabilities >> kSysAdmin & 1) != 0) return {true, "privileges", "root", {}};
  return {false, "privileges", "root without CAP_SYS_ADMIN (in a container?), which cannot make namespaces",
          "run bashcell outside of that container, or the container with --privileged"};
}

// Each runtime that is looked for, and whether it serves here. One that serves is enough.
std::vector<Finding> runtimes(const std::string& wanted, const CgroupLayout& layout, bool rootless) {
  std::vector<Finding> list;
  const base::Result<Runtime> chosen = choose_runtime(wanted, layout, rootless);
  if (chosen) {
    const std::optional<std::string> version = version_of(chosen->path);
    list.push_back({version.has_value(), "runtime",
                    fmt::format("{} ({})", chosen->path, version.value_or("does not run")),
                    version ? "" : "reinstall it"});
  } else {
    const std::string& message = chosen.error().message;
    const size_t hint = message.rfind("; ");
    list.push_back({false, "runtime", message.substr(0, hint), message.substr(hint + 2)});
  }
  for (const char* name : {"crun", "runc"}) {
    const std::optional<std::string> path = base::find_program(name);
    if (!path || (chosen && *path == chosen->path)) continue;
    const RuntimeKind kind = std::string_view(name) == "crun" ? RuntimeKind::kCrun : RuntimeKind::kRunc;
    const std::string reason = unusable_reason(kind, layout, rootless).value_or("usable");
    list.push_back({true,
                    "other runtime",
                    fmt::format("{} ({}): {}", *path, version_of(*path).value_or("does not run"), reason),
                    {}});
  }
  return list;
}

Finding cgroups(const CgroupLayout& layout, bool rootless, const std::string& parent) {
  const CgroupPlan plan = plan_cgroup(layout, rootless, parent);
  std::string detail = fmt::format("cgroup {}; limits set by {}", kind_name(layout.kind), manager_name(plan.manager));
  if (plan.complete()) return {true, "limits", detail + (plan.swap ? "" : "; swap cannot be limited"), {}};
  return {false, "limits", fmt::format("{}; not enforceable: {} ({})", detail, plan.missing(), plan.reason), plan.fix};
}

Finding user_namespaces() {
  if (kernel_value("/proc/sys/user/max_user_namespaces") == "0") {
    return {false, "user namespaces", "switched off", "sudo sysctl user.max_user_namespaces=10000"};
  }
  if (kernel_value("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return {false, "user namespaces", "not for ordinary users", "sudo sysctl kernel.unprivileged_userns_clone=1"};
  }
  if (kernel_value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return {false, "user namespaces", "restricted by AppArmor to programs with a profile",
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"};
  }
  return {true, "user namespaces", "allowed", {}};
}

Finding network_of(const CellSpec& spec, bool rootless) {
  if (spec.network.empty()) return {true, "network", "none (--network pasta gives a cell one)", {}};
  const base::Result<NetworkPlan> plan = plan_network(spec.network, rootless);
  if (plan)
    return {true, "network", plan->path + ": scripts reach what this machine reaches, but not its loopback", {}};
  const std::string& message = plan.error().message;
  const size_t hint = message.rfind("; sudo ");
  return {false, "network", message.substr(0, hint), hint == std::string::npos ? "" : message.substr(hint + 2)};
}

}  // namespace

std::vector<Finding> examine_machine(const CellSpec& spec, const std::string& wanted_runtime,
                                     const std::string& private_folder) {
  const bool rootless = ::geteuid() != 0;
  const CgroupLayout layout = read_cgroup_layout();
  std::vector<Finding> findings = runtimes(wanted_runtime, layout, rootless);
  findings.push_back(privileges());
  if (rootless) findings.push_back(user_namespaces());
  const base::Result<PrivateFolder> folder = open_private_folder(private_folder);
  findings.push_back(cgroups(layout, rootless, folder ? folder->cgroup_parent() : "/bashcell"));
  findings.push_back(folder ? Finding{true, "private folder", folder->path, {}}
                            : Finding{false, "private folder", folder.error().message, {}});
  const bool seccomp = seccomp_supported();
  findings.push_back(
      {seccomp, "seccomp", seccomp ? "filters supported" : "the kernel has no CONFIG_SECCOMP_FILTER", {}});
  findings.push_back(network_of(spec, rootless));
  const base::Result<RootPlan> root = plan_root(spec);
  const std::string source = spec.rootfs.empty() ? "this machine's /usr" : spec.rootfs;
  if (!root) {
    findings.push_back({false, "root", root.error().message, {}});
  } else if (!root_has_bash(spec)) {
    findings.push_back({false, "root", source + " has no bash", "install bash there"});
  } else {
    findings.push_back({true, "root", source + ", read-only, with bash", {}});
  }
  return findings;
}

}  // namespace bashcell::engine::oci
