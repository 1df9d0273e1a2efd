#pragma once
// One running cell of the oci engine: the control stream, and the runtime process that waits for its end.
//
// The runtime's own `run` removes state and cgroup when PID 1 ends, with no code of ours alive. Only when somebody has
// killed that process does the destructor start another one to clean up.

#include <memory>
#include <optional>
#include <string>

#include "base/process.h"
#include "base/unique_fd.h"
#include "engine/engine.h"
#include "engine/oci/network.h"
#include "engine/oci/reaper.h"
#include "engine/oci/runtime.h"
#include "engine/oci/skeleton.h"

namespace bashcell::engine::oci {

// What a cell owns from its start on.
struct CellParts {
  std::string name;
  Runtime runtime;
  std::vector<std::string> global_options;  // of the runtime, before its command
  std::string state_folder;
  std::string root;    // the root file system that was asked for; empty: the host's programs
  std::string bundle;  // removed once the cell runs and the runtime has copied what it needs
  Skeleton skeleton;
  base::UniqueFd control;   // our end
  base::UniqueFd messages;  // base/message_file.h: stdout and stderr of runtime and PID 1
  base::Child runtime_process;
  CellNetwork network;
  std::shared_ptr<Reaper> reaper;
};

// One line, at most 1,000 bytes: of a runtime's log only what it says, without times, levels and control bytes.
std::string one_line(std::string_view messages);

class ControlStream;

class OciCell : public Cell {
 public:
  explicit OciCell(CellParts parts);
  ~OciCell() override;

  Stream& stream() override;
  const std::string& id() const override { return parts_.name; }
  RootName root() const override { return {parts_.root.empty() ? "the host's /usr" : parts_.root, "--rootfs"}; }
  std::string diagnostics() override;
  void kill() override;

  // Once, for a network that is given to a cell which has started; nothing to do for any other. Blocks for at most 10
  // s.
  base::Result<void> connect(const NetworkPlan& plan);

 private:
  base::Result<pid_t> wait_for_init();
  void remove_by_runtime();
  void poll_runtime();

  CellParts parts_;
  std::unique_ptr<ControlStream> stream_;
  std::optional<base::ExitStatus> runtime_status_;
};

}  // namespace bashcell::engine::oci
