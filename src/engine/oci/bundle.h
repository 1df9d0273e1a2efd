#pragma once
// A CellSpec in the runtime's terms: the config.json of an OCI bundle.

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "engine/cell_spec.h"
#include "engine/oci/cgroup.h"
#include "engine/oci/network.h"
#include "engine/oci/root_plan.h"

namespace bashcell::engine::oci {

// The caller's own properties that the configuration has to respect.
struct HostFacts {
  bool rootless = false;
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t open_files_limit = 1024;  // hard RLIMIT_NOFILE, which only root could raise
  int oom_score_adj = 0;             // only root could lower it
  bool recursive_read_only = true;   // mount_setattr(2): Linux 5.12

  static HostFacts read();
};

// The whole configuration, as data.
nlohmann::json make_config(const CellSpec& spec, const std::string& cell_name, const std::string& root_path,
                           const RootPlan& root, const CgroupPlan& cgroup, const HostFacts& host,
                           const CellNetwork& network = {});

// Writes FOLDER/NAME/config.json, and the cell's /etc/hosts beside it; returns FOLDER/NAME.
base::Result<std::string> write_bundle(const std::string& folder, const std::string& cell_name,
                                       const nlohmann::json& config);

// Nothing happens if it is gone already.
void remove_bundle(const std::string& path);

}  // namespace bashcell::engine::oci
