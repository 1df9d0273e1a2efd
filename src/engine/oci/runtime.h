#pragma once
// The program that builds containers: crun or runc. Which one is used, and how it is called.

#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "engine/oci/cgroup.h"

namespace bashcell::engine::oci {

enum class RuntimeKind { kCrun, kRunc, kOther };

struct Runtime {
  std::string path;
  RuntimeKind kind = RuntimeKind::kOther;

  // "crun", "runc", "other": also names the folder of its state, which only the same program can read.
  std::string name() const;
};

// The one that was asked for (a name or a path; empty: crun, else runc), if it works with these cgroups. crun refuses a
// hybrid hierarchy, and runc maps no single user without root, so each has a place where only the other one serves.
// The error names what was tried and the one command that helps.
base::Result<Runtime> choose_runtime(const std::string& wanted, const CgroupLayout& layout, bool rootless);

// Why this kind cannot be used here; nothing if it can.
std::optional<std::string> unusable_reason(RuntimeKind kind, const CgroupLayout& layout, bool rootless);

// First line of its --version, or nothing if it does not run. Blocks for some milliseconds.
std::optional<std::string> version_of(const std::string& path);

// The environment of runtime processes: a fixed PATH and the addresses of the user's session bus (systemd cgroups go
// through it). Nothing else of the host's, which may hold secrets.
std::vector<std::string> runtime_environment();

// `RUNTIME --root STATE ARGUMENTS…`, in its own session: a client that signals the server's process group must not hit
// the one that cleans up.
base::SpawnOptions runtime_command(const Runtime& runtime, const std::string& state_folder,
                                   const std::vector<std::string>& arguments);

}  // namespace bashcell::engine::oci
