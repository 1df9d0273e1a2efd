#pragma once
// The embedded engine: cells by crun or runc as a child process, no daemon, no image. Files of this folder, in the
// order in which a start uses them: runtime, cgroup, private_folder, sweep, root_plan, skeleton, bundle, oci_cell.

#include <memory>
#include <string>

#include "base/log.h"
#include "engine/engine.h"
#include "engine/oci/cgroup.h"
#include "engine/oci/reaper.h"
#include "engine/oci/runtime.h"
#include "engine/oci/sweep.h"
#include "engine/private_folder.h"

namespace bashcell::engine::oci {

struct OciOptions {
  std::string runtime;         // a name or a path; empty: crun, else runc
  std::string private_folder;  // empty: the usual place (private_folder.h)
  base::Log log;
};

class OciEngine : public Engine {
 public:
  explicit OciEngine(OciOptions options);

  std::string_view name() const override { return "oci"; }
  base::Result<std::unique_ptr<Cell>> start(const CellSpec& spec) override;
  std::vector<Finding> examine(const CellSpec& spec) override;

 private:
  void sweep_once(const SweepOptions& what);

  OciOptions options_;
  bool swept_ = false;
  std::shared_ptr<Reaper> reaper_;  // shared with the cells, which may outlive a call of ours
};

}  // namespace bashcell::engine::oci
