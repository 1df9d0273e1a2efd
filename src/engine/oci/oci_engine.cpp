#include "engine/oci/oci_engine.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/message_file.h"
#include "engine/cell_name.h"
#include "engine/oci/bundle.h"
#include "engine/oci/examine.h"
#include "engine/oci/oci_cell.h"
#include "engine/seccomp.h"

namespace bashcell::engine::oci {

namespace {

constexpr int kControlFd = 3;

// What the runtime would say about these in words that help nobody.
base::Result<void> check_paths(const CellSpec& spec) {
  std::error_code error;
  if (!std::filesystem::is_directory(spec.workspace, error)) {
    return base::Error{fmt::format("the workspace {} does not exist or is no folder; make it: mkdir -p '{}'",
                                   spec.workspace, spec.workspace)};
  }
  if (std::filesystem::equivalent(spec.workspace, "/", error)) {
    return base::Error{"the workspace / would give the scripts this whole machine; choose a folder"};
  }
  if (::access(spec.supervisor.c_str(), X_OK) != 0)
    return base::errno_error("cannot use the supervisor " + spec.supervisor);
  return {};
}

base::Result<void> check_limits(const CgroupPlan& cgroup, LimitsPolicy policy) {
  if (cgroup.complete() || policy == LimitsPolicy::kBestEffort) return {};
  return base::Error{
      fmt::format("the limits on {} cannot be enforced here: {}; {}", cgroup.missing(), cgroup.reason, cgroup.fix)};
}

std::vector<std::string> global_options(const Runtime& runtime, const CgroupPlan& cgroup) {
  switch (cgroup.manager) {
    case CgroupManager::kSystemd:
      return {"--systemd-cgroup"};
    case CgroupManager::kDisabled:
      if (runtime.kind == RuntimeKind::kCrun) return {"--cgroup-manager=disabled"};
      break;
    case CgroupManager::kCgroupfs:
      break;
  }
  return {};
}

base::Result<base::Child> spawn_runtime(const CellParts& parts, int control_fd) {
  std::vector<std::string> arguments = parts.global_options;
  arguments.insert(arguments.end(), {"run", "--bundle", parts.bundle, "--preserve-fds", "1", parts.name});
  base::SpawnOptions options = runtime_command(parts.runtime, parts.state_folder, arguments);
  options.descriptors = {{1, parts.messages.get()}, {2, parts.messages.get()}, {kControlFd, control_fd}};
  return base::spawn(options);
}

}  // namespace

OciEngine::OciEngine(OciOptions options) : options_(std::move(options)), reaper_(std::make_shared<Reaper>()) {}

void OciEngine::sweep_once(const SweepOptions& what) {
  if (std::exchange(swept_, true)) return;
  const size_t found = sweep(what, *reaper_);
  if (found > 0) options_.log.info(fmt::format("removing {} cells of servers that no longer run", found));
}

base::Result<std::unique_ptr<Cell>> OciEngine::start(const CellSpec& spec) {
  reaper_->collect();
  const HostFacts host = HostFacts::read();
  if (base::Result<void> paths = check_paths(spec); !paths) return paths.error();
  if (!seccomp_supported()) return base::Error{"this kernel cannot filter system calls (CONFIG_SECCOMP_FILTER)"};

  const CgroupLayout layout = read_cgroup_layout();
  const base::Result<Runtime> runtime = choose_runtime(options_.runtime, layout, host.rootless);
  if (!runtime) return runtime.error();
  const base::Result<PrivateFolder> folder = open_private_folder(options_.private_folder);
  if (!folder) return folder.error();
  const CgroupPlan cgroup = plan_cgroup(layout, host.rootless, folder->cgroup_parent());
  sweep_once({*folder, layout, cgroup.parent(), host.rootless});
  if (base::Result<void> limits = check_limits(cgroup, spec.limits); !limits) return limits.error();

  const base::Result<NetworkPlan> network =
      spec.installer ? plan_installer_network(host.rootless) : plan_network(spec.network, host.rootless);
  if (!network) return network.error();
  const base::Result<RootPlan> root = plan_root(spec, network->resolv_conf);
  if (!root) return root.error();
  base::Result<Skeleton> skeleton = acquire_skeleton(folder->roots(), *root);
  if (!skeleton) return skeleton.error();

  CellParts parts;
  parts.name = make_cell_name(base::ProcessIdentity::self());
  parts.runtime = *runtime;
  parts.root = spec.rootfs;
  parts.global_options = global_options(*runtime, cgroup);
  parts.state_folder = folder->state(runtime->name());
  parts.skeleton = std::move(*skeleton);
  parts.reaper = reaper_;
  base::Result<base::UniqueFd> messages = base::make_message_file();
  if (!messages) return messages.error();
  parts.messages = std::move(*messages);
  base::Result<std::pair<base::UniqueFd, base::UniqueFd>> control = base::make_socket_pair();
  if (!control) return control.error();
  parts.control = std::move(control->first);
  parts.network.of_host = network->of_host;
  if (network->before_cell) {
    base::Result<CellNetwork> made = start_network(*network, 0);
    if (!made) return made.error();
    parts.network = std::move(*made);
  }
  base::Result<std::string> bundle =
      write_bundle(folder->bundles(), parts.name,
                   make_config(spec, parts.name, parts.skeleton.path, *root, cgroup, host, parts.network));
  if (!bundle) return bundle.error();
  parts.bundle = *bundle;
  base::Result<base::Child> child = spawn_runtime(parts, control->second.get());
  if (!child) {
    remove_bundle(parts.bundle);
    return child.error();
  }
  parts.runtime_process = std::move(*child);
  options_.log.debug(fmt::format("cell {} starts with {}", parts.name, parts.runtime.path));
  auto cell = std::make_unique<OciCell>(std::move(parts));
  const base::Result<void> connected = cell->connect(*network);
  if (connected) return std::unique_ptr<Cell>(std::move(cell));
  cell->kill();
  return connected.error();
}

std::vector<Finding> OciEngine::examine(const CellSpec& spec) {
  return examine_machine(spec, options_.runtime, options_.private_folder);
}

}  // namespace bashcell::engine::oci
