#include "engine/cell_spec.h"

#include <algorithm>
#include <cmath>

namespace bashcell::engine {

std::vector<std::pair<std::string, std::string>> CellSpec::default_environment() {
  // A program that would open an editor or a pager must fail or pass at once: there is nobody to answer it.
  const std::string no_editor = "/run/cell/no-editor";
  return {
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/cell/bin"},
      {"HOME", "/tmp/home"},
      {"USER", "user"},
      {"LOGNAME", "user"},
      {"SHELL", "/bin/bash"},
      {"LANG", "C.UTF-8"},
      {"TZ", "UTC"},
      {"TERM", "dumb"},
      {"NO_COLOR", "1"},
      {"PAGER", "cat"},
      {"GIT_PAGER", "cat"},
      {"MANPAGER", "cat"},
      {"SYSTEMD_PAGER", "cat"},
      {"EDITOR", no_editor},
      {"VISUAL", no_editor},
      {"GIT_EDITOR", no_editor},
      {"GIT_SEQUENCE_EDITOR", no_editor},
      {"GIT_TERMINAL_PROMPT", "0"},
      {"DEBIAN_FRONTEND", "noninteractive"},
      {"PYTHONUNBUFFERED", "1"},
      {"XDG_CACHE_HOME", "/tmp/home/.cache"},
      {"XDG_CONFIG_HOME", "/tmp/home/.config"},
      {"XDG_DATA_HOME", "/tmp/home/.local/share"},
      {"npm_config_cache", "/tmp/home/.npm"},
      {"npm_config_update_notifier", "false"},
  };
}

std::vector<std::pair<std::string, std::string>> cell_environment(const CellSpec& spec) {
  std::vector<std::pair<std::string, std::string>> all = spec.environment;
  for (auto& [name, value] : all) {
    if (name == "PATH") value += programs_of_ours(spec);
  }
  // With a network, scripts may fill that folder themselves.
  if (!spec.toolbox.empty() && spec.network.empty()) all.emplace_back("PYTHONUSERBASE", kCellToolPython);
  return all;
}

std::string programs_of_ours(const CellSpec& spec) {
  std::string folders;
  if (!spec.toolbox.empty()) folders += std::string(":") + kCellToolPrograms;
  if (!spec.shelf.empty()) folders += std::string(":") + kCellShelfPrograms;
  return folders;
}

CpuTime cpu_time(const CellSpec& spec) {
  constexpr int64_t kSmallestQuota = 1000;
  const int64_t quota = std::max<int64_t>(std::llround(spec.cpus * static_cast<double>(spec.cpu_period_us)), 1);
  const int64_t factor = quota >= kSmallestQuota ? 1 : (kSmallestQuota + quota - 1) / quota;
  return {quota * factor, spec.cpu_period_us * factor};
}

int64_t tmpfs_files(int64_t bytes) { return bytes / 2560; }

std::vector<HostMount> workspace_mounts(const CellSpec& spec) {
  std::vector<HostMount> mounts{{spec.workspace, kCellWorkspace, false}};
  for (const ProtectedPath& path : spec.protection.paths) {
    mounts.push_back({spec.workspace + "/" + path.name, std::string(kCellWorkspace) + "/" + path.name, path.read_only});
  }
  return mounts;
}

}  // namespace bashcell::engine
