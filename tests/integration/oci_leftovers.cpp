#include "integration/oci_leftovers.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "engine/oci/cgroup.h"

namespace bashcell {

namespace {

namespace fs = std::filesystem;

pid_t parent_of(pid_t pid) {
  const auto stat = base::read_file("/proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat ? stat->rfind(')') : std::string::npos;
  return close == std::string::npos ? -1 : std::atoi(stat->c_str() + close + 4);
}

bool group_left(const std::string& cell_name) {
  for (const std::string& folder : engine::oci::cgroup_folders(engine::oci::read_cgroup_layout(), "/bashcell")) {
    if (fs::exists(folder + "/" + cell_name)) return true;
  }
  return false;
}

}  // namespace

bool runs(pid_t pid) {
  const auto stat = base::read_file("/proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat ? stat->rfind(')') : std::string::npos;
  return close != std::string::npos && (*stat)[close + 2] != 'Z';
}

CellProcesses processes_of(const std::string& cell_name) {
  CellProcesses found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    const auto arguments = base::read_file(entry.path() / "cmdline");
    if (pid <= 0 || !arguments) continue;
    const std::string run = std::string(1, '\0') + "run" + std::string(1, '\0');
    if (arguments->find(run) != std::string::npos && arguments->find(cell_name + '\0') != std::string::npos)
      found.runtime = pid;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    const auto arguments = base::read_file(entry.path() / "cmdline");
    if (pid <= 0 || !arguments || arguments->rfind("/run/cell/bashcell-init", 0) != 0) continue;
    if (found.runtime > 0 && parent_of(pid) == found.runtime) found.supervisor = pid;
  }
  return found;
}

bool has_state(const std::string& cell_name, const std::string& private_folder) {
  return fs::exists(private_folder + "/state-runc/" + cell_name) ||
         fs::exists(private_folder + "/state-crun/" + cell_name);
}

bool eventually_gone(const std::string& cell_name, const CellProcesses& processes, const std::string& private_folder) {
  return wait_for([&] {
    return !runs(processes.runtime) && !runs(processes.supervisor) && !has_state(cell_name, private_folder) &&
           !group_left(cell_name);
  });
}

bool wait_for(const std::function<bool()>& fact) {
  const base::Instant deadline = base::now() + std::chrono::seconds(10);
  while (!fact()) {
    if (base::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

}  // namespace bashcell
