#include "engine/oci/sweep.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/file.h"
#include "engine/cell_name.h"
#include "engine/oci/bundle.h"
#include "engine/oci/runtime.h"

namespace bashcell::engine::oci {

namespace {

namespace fs = std::filesystem;

// `delete -f` kills what still runs in the cell (also when frozen) and removes its state and its control groups.
void delete_by_runtime(const SweepOptions& options, const std::string& runtime_name, const std::string& cell_name,
                       Reaper& reaper) {
  const std::optional<std::string> path = base::find_program(runtime_name);
  if (!path) return;
  const Runtime runtime{*path, runtime_name == "crun" ? RuntimeKind::kCrun : RuntimeKind::kRunc};
  std::vector<std::string> arguments = {"delete", "-f", cell_name};
  if (options.rootless && runtime.kind == RuntimeKind::kCrun && options.layout.kind != CgroupKind::kV2) {
    arguments.insert(arguments.begin(), "--cgroup-manager=disabled");
  }
  base::Result<base::Child> child =
      base::spawn(runtime_command(runtime, options.folder.state(runtime_name), arguments));
  if (child) reaper.adopt(std::move(*child));
}

// A group whose state somebody has removed: nobody else would end its processes. Ids of another pid namespace read as
// 0.
void remove_group(const std::string& path) {
  if (::rmdir(path.c_str()) == 0) return;
  const base::Result<std::string> processes = base::read_file(path + "/cgroup.procs");
  if (!processes) return;
  std::istringstream in(*processes);
  for (pid_t pid = 0; in >> pid;) {
    if (pid > 1) ::kill(pid, SIGKILL);
  }
  ::rmdir(path.c_str());  // mostly too early: then the next sweep finds it empty
}

}  // namespace

size_t sweep(const SweepOptions& options, Reaper& reaper) {
  std::set<std::string> all;
  std::set<std::string> with_state;
  for (const std::string runtime_name : {"crun", "runc"}) {
    for (const std::string& name : leftovers_in(options.folder.state(runtime_name))) {
      delete_by_runtime(options, runtime_name, name, reaper);
      with_state.insert(name);
    }
  }
  all = with_state;
  for (const std::string& name : leftovers_in(options.folder.bundles())) {
    remove_bundle(options.folder.bundles() + "/" + name);
    all.insert(name);
  }
  if (options.cgroup_parent.empty()) return all.size();
  for (const std::string& folder : cgroup_folders(options.layout, options.cgroup_parent)) {
    for (const std::string& name : leftovers_in(folder)) {
      // Where there is state the runtime needs the group to find the processes.
      if (with_state.count(name) == 0) remove_group(folder + "/" + name);
      all.insert(name);
    }
  }
  return all.size();
}

}  // namespace bashcell::engine::oci
