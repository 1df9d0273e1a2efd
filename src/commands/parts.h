#pragma once
// The parts of the program, built from its configuration: what serve, run and doctor have in common.

#include <memory>

#include "base/event_loop.h"
#include "base/log.h"
#include "config.h"
#include "sandbox/sandbox.h"
#include "sandbox/workspace_lock.h"
#include "tools/audit.h"
#include "tools/bash_tool.h"

namespace bashcell::commands {

// What a cell is to be under this configuration. Makes the default workspace when it is missing; checks what can be
// checked on the host. Blocks for a few file operations.
base::Result<engine::CellSpec> cell_spec(const Config& config);

// Where the lock of this configuration's workspace is: in the private folder, named by what the workspace is, not by
// its path. Made for --workspace-lock; blocks for a few file operations.
base::Result<sandbox::WorkspaceLock::Place> workspace_lock_place(const Config& config);

// The record of calls; nothing when none is wanted.
base::Result<std::unique_ptr<tools::Audit>> open_audit(const Config& config);

sandbox::SandboxOptions sandbox_options(const Config& config);
tools::BashToolOptions bash_tool_options(const Config& config);

}  // namespace bashcell::commands
