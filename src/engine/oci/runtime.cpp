#include "engine/oci/runtime.h"

#include <fmt/format.h>

#include <cstdlib>

namespace bashcell::engine::oci {

namespace {

RuntimeKind kind_of_name(const std::string& path) {
  const std::string base = path.substr(path.rfind('/') + 1);
  if (base == "crun") return RuntimeKind::kCrun;
  if (base == "runc") return RuntimeKind::kRunc;
  return RuntimeKind::kOther;
}

// By name, and for a program of another name by what it says it is.
RuntimeKind kind_of(const std::string& path) {
  const RuntimeKind by_name = kind_of_name(path);
  if (by_name != RuntimeKind::kOther) return by_name;
  const std::optional<std::string> version = version_of(path);
  if (version && version->rfind("crun ", 0) == 0) return RuntimeKind::kCrun;
  if (version && version->rfind("runc ", 0) == 0) return RuntimeKind::kRunc;
  return RuntimeKind::kOther;
}

std::string_view cure(const CgroupLayout& layout, bool rootless) {
  if (rootless && layout.kind == CgroupKind::kHybrid) {
    return "run bashcell as root with runc, or unmount it: sudo umount /sys/fs/cgroup/unified";
  }
  if (rootless) return "use crun, which can: install crun by sudo apt-get install crun";
  // crun is the smaller one, and the one that ordinary users can use, too.
  if (layout.kind == CgroupKind::kHybrid) return "install one that does: sudo apt-get install runc";
  return "install one: sudo apt-get install crun";
}

}  // namespace

std::string Runtime::name() const {
  switch (kind) {
    case RuntimeKind::kCrun:
      return "crun";
    case RuntimeKind::kRunc:
      return "runc";
    case RuntimeKind::kOther:
      break;
  }
  return "other";
}

std::optional<std::string> unusable_reason(RuntimeKind kind, const CgroupLayout& layout, bool rootless) {
  if (kind == RuntimeKind::kCrun && layout.kind == CgroupKind::kHybrid) {
    return "it refuses this machine's hybrid cgroup hierarchy (v1 with a v2 mount at /sys/fs/cgroup/unified)";
  }
  if (kind == RuntimeKind::kRunc && rootless) return "it cannot run as an ordinary user with one mapped id";
  return std::nullopt;
}

base::Result<Runtime> choose_runtime(const std::string& wanted, const CgroupLayout& layout, bool rootless) {
  const std::vector<std::string> names =
      wanted.empty() ? std::vector<std::string>{"crun", "runc"} : std::vector{wanted};
  std::string tried;
  for (const std::string& name : names) {
    const std::optional<std::string> path = base::find_program(name);
    std::optional<std::string> reason;
    if (path) {
      const Runtime runtime{*path, kind_of(*path)};
      reason = unusable_reason(runtime.kind, layout, rootless);
      if (!reason) return runtime;
    }
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", name, reason.value_or("not found, or not executable"));
  }
  return base::Error{fmt::format("no usable container runtime ({}); {}", tried, cure(layout, rootless))};
}

std::optional<std::string> version_of(const std::string& path) {
  base::SpawnOptions options;
  options.argv = {path, "--version"};
  options.environment = runtime_environment();
  const base::Result<base::Captured> said = base::run_captured(options, base::Duration(5000));
  if (!said || said->timed_out || said->status.signaled || said->status.code != 0) return std::nullopt;
  return said->output.substr(0, said->output.find('\n'));
}

std::vector<std::string> runtime_environment() {
  std::vector<std::string> environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
  for (const char* name : {"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

base::SpawnOptions runtime_command(const Runtime& runtime, const std::string& state_folder,
                                   const std::vector<std::string>& arguments) {
  base::SpawnOptions options;
  options.argv.push_back(runtime.path);
  options.argv.emplace_back("--root");
  options.argv.push_back(state_folder);
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.environment = runtime_environment();
  options.directory = "/";
  options.new_session = true;
  return options;
}

}  // namespace bashcell::engine::oci
