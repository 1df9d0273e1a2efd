#pragma once
// What a cell is: one value, which each engine translates into its own terms. The defaults are the product's promises.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/protected_paths.h"

namespace bashcell::engine {

enum class LimitsPolicy {
  kStrict,      // a limit that cannot be enforced refuses the cell
  kBestEffort,  // the cgroup numbers (memory, cpu, pids) may be missing; everything else is still required
};

struct User {
  uint32_t uid = 1000;
  uint32_t gid = 1000;
};

struct CellSpec {
  // The workspace is the only writable thing of the host's that a cell sees.
  std::string workspace;          // absolute path of an existing folder on the host -> /workspace
  Protection protection;          // of it: find_protection()
  std::string workspace_volume;   // instead of it: a volume of the engine's, made when missing (docker)
  std::string supervisor;         // absolute path of bashcell-init on the host -> /run/cell/bashcell-init, read-only
  std::string rootfs;             // absolute path of a root file system; empty: the host's /usr behind a skeleton (oci)
  std::string image;              // reference of the engine's image (docker)
  std::string toolbox;            // absolute path of a folder with tools -> /run/cell/tools, read-only; or none
  bool toolbox_of_image = false;  // its tools run on the image's root, else on this machine's
  std::string shelf;              // absolute path of a folder with saved scripts -> /run/cell/shelf, read-only; or none
  std::string network;            // a network of the engine's, by name; empty: none but loopback
  // A cell that runs our own installer and nothing else: with a network, whatever the engine has for one, and the
  // package manager's configuration. Never made so by an option.
  bool installer = false;

  User user;  // as seen inside

  int64_t memory_bytes = int64_t{512} << 20;  // no swap on top
  double cpus = 0.5;
  int64_t cpu_period_us = 20'000;  // short, so that a throttled call waits little
  int64_t pids = 50;
  int64_t tmp_bytes = int64_t{256} << 20;  // tmpfs, counts as memory, so well under memory_bytes
  int64_t shm_bytes = int64_t{64} << 20;
  LimitsPolicy limits = LimitsPolicy::kStrict;

  // The whole environment of a cell; nothing of the host's is added. What toolbox and shelf add: cell_environment().
  std::vector<std::pair<std::string, std::string>> environment = default_environment();

  static std::vector<std::pair<std::string, std::string>> default_environment();
};

// The spec's environment, with programs_of_ours() in PATH; with a toolbox, Python has it as the user's own folder.
std::vector<std::pair<std::string, std::string>> cell_environment(const CellSpec& spec);

// What comes last in PATH: the toolbox's programs, then the shelf's. ":FOLDER", or nothing, for each.
std::string programs_of_ours(const CellSpec& spec);

// What every engine asks for that nobody chooses.
inline constexpr uint64_t kOpenFilesSoft = 4'096;
inline constexpr uint64_t kOpenFilesHard = 65'536;
inline constexpr int kOomScoreAdj = 500;  // when the machine runs out of memory, a cell goes before the host's programs

// Processor time as the kernel's CFS bandwidth control takes it, in microseconds. The quota is at least 1 ms (below
// that the kernel refuses); for a small share the period grows instead.
struct CpuTime {
  int64_t quota_us = 0;
  int64_t period_us = 0;
};
CpuTime cpu_time(const CellSpec& spec);

// How many files a tmpfs of that size may hold. Files cost memory of the cell even when they are empty, about 1 KB
// each, and a tmpfs's size does not count that: without a number, a full folder of nothing exceeds the memory limit.
int64_t tmpfs_files(int64_t bytes);

// Where things are inside every cell.
inline constexpr const char* kCellWorkspace = "/workspace";
inline constexpr const char* kCellRunFolder = "/run/cell";
inline constexpr const char* kCellSupervisor = "/run/cell/bashcell-init";
inline constexpr const char* kCellControl = "/run/cell/control";  // a socket, where an engine uses one
inline constexpr const char* kCellTools = "/run/cell/tools";      // the toolbox, where there is one
inline constexpr const char* kCellToolPrograms = "/run/cell/tools/bin";
inline constexpr const char* kCellToolPython = "/run/cell/tools/python";
inline constexpr const char* kCellShelf = "/run/cell/shelf";  // the shelf, where there is one
inline constexpr const char* kCellShelfPrograms = "/run/cell/shelf/bin";

struct HostMount {
  std::string source;  // on the host
  std::string target;  // in the cell
  bool read_only = false;
};
// The workspace's folder and, over it, what is protected in it, in the order in which they are to be mounted.
std::vector<HostMount> workspace_mounts(const CellSpec& spec);

}  // namespace bashcell::engine
