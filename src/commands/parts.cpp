#include "commands/parts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/fingerprint.h"
#include "commands/engines.h"
#include "commands/healing.h"
#include "commands/shelving.h"
#include "config_paths.h"
#include "engine/private_folder.h"

namespace bashcell::commands {

namespace {

base::Result<void> check_folder(const std::string& what, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return base::errno_error(what + " " + path + " cannot be used (create it, or choose another with --" + what + ")");
  }
  if (!S_ISDIR(info.st_mode)) {
    return base::Error{what + " " + path + " is not a folder: choose another with --" + what};
  }
  return {};
}

// Without this, whatever file cannot be read first would be named as the cause.
base::Result<void> check_descriptors() {
  constexpr int kNeeded = 8;
  std::vector<base::UniqueFd> spare;
  for (int i = 0; i < kNeeded; ++i) {
    base::Result<base::UniqueFd> one = base::duplicate(STDERR_FILENO);
    if (!one)
      return base::Error{"too many open files: starting a cell needs 8 free descriptors (raise the limit: ulimit -n)"};
    spare.push_back(std::move(*one));
  }
  return {};
}

}  // namespace

base::Result<engine::CellSpec> cell_spec(const Config& config) {
  if (const auto checked = check_descriptors(); !checked) return checked.error();
  base::Result<std::string> supervisor = find_supervisor(config);
  if (!supervisor) return supervisor.error();
  if (config.workspace_volume.empty()) {
    if (const auto prepared = prepare_workspace(config); !prepared) return prepared.error();
    if (const auto checked = check_folder("workspace", config.workspace); !checked) return checked.error();
  }
  if (!config.rootfs.empty()) {
    if (const auto checked = check_folder("rootfs", config.rootfs); !checked) return checked.error();
  }
  engine::CellSpec spec;
  spec.supervisor = std::move(*supervisor);
  spec.workspace = config.workspace;
  spec.workspace_volume = config.workspace_volume;
  if (spec.workspace_volume.empty()) spec.protection = engine::find_protection(spec.workspace, config.protect);
  spec.image = cell_image(config);
  if (config.network != "none") spec.network = config.network;
  spec.rootfs = config.rootfs;
  spec.user = cell_user(config);
  spec.memory_bytes = config.memory_mb << 20;
  spec.tmp_bytes = std::min(spec.tmp_bytes, spec.memory_bytes / 2);
  spec.shm_bytes = std::min(spec.shm_bytes, spec.memory_bytes / 8);
  spec.cpus = config.cpus;
  spec.pids = config.pids;
  spec.limits = config.limits;
  spec.shelf = shelf_of_cells(config);
  if (!config.install) return spec;
  const CellRoot root = root_of_cells(config);
  spec.toolbox_of_image = root == CellRoot::kImage;
  if (base::Result<heal::Toolbox> toolbox = open_toolbox(config, root)) {
    spec.toolbox = toolbox->tools();
  } else {
    base::Log(config.log).error("no toolbox: " + toolbox.error().message);
  }
  return spec;
}

base::Result<std::unique_ptr<tools::Audit>> open_audit(const Config& config) {
  if (config.audit.empty()) return std::unique_ptr<tools::Audit>();
  base::Result<tools::Audit> audit =
      tools::Audit::open({.path = config.audit, .max_bytes = config.audit_max_bytes, .scripts = config.audit_scripts},
                         base::Log(config.log));
  if (!audit) return audit.error();
  return std::make_unique<tools::Audit>(std::move(*audit));
}

base::Result<sandbox::WorkspaceLock::Place> workspace_lock_place(const Config& config) {
  const std::string& shown = config.workspace_volume.empty() ? config.workspace : config.workspace_volume;
  const auto because = [&](const base::Error& error) {
    return base::Error{"cannot lock the workspace " + shown + ": " + error.message + "; nothing was run"};
  };
  if (const auto prepared = prepare_workspace(config); !prepared) return because(prepared.error());
  const base::Result<engine::PrivateFolder> folder = engine::open_private_folder();
  if (!folder) return because(folder.error());
  const std::string locks = folder->path + "/locks";
  if (const auto made = engine::make_private(locks); !made) return because(made.error());
  const std::string cure = engine::use_another_place("/run", "XDG_RUNTIME_DIR");
  struct stat info {};
  if (config.workspace_volume.empty() && ::stat(config.workspace.c_str(), &info) == 0) {
    return sandbox::WorkspaceLock::Place{fmt::format("{}/{}-{}", locks, info.st_dev, info.st_ino), shown, cure};
  }
  // A volume of an engine, or a folder of the machine that the engine is on.
  const uint64_t print = base::fingerprint(config.docker_host + "\n" + shown);
  return sandbox::WorkspaceLock::Place{fmt::format("{}/{:016x}", locks, print), shown, cure};
}

sandbox::SandboxOptions sandbox_options(const Config& config) {
  sandbox::SandboxOptions options;
  options.parallel = static_cast<size_t>(config.parallel);
  options.session = {.running = config.session_limit, .idle = config.idle_limit};
  options.log = base::Log(config.log);
  return options;
}

tools::BashToolOptions bash_tool_options(const Config& config) {
  tools::BashToolOptions options{.timeout = config.timeout,
                                 .max_timeout = config.max_timeout,
                                 .budget = config.budget,
                                 .filters = config.filters,
                                 .extra_filters = {},
                                 .repair_by_client = config.repair == "client"};
  for (const ExtraFilter& filter : config.extra_filters) {
    options.extra_filters.push_back({filter.name, filter.commands, filter.text});
  }
  return options;
}

}  // namespace bashcell::commands
