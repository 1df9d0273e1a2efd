#pragma once
// The MCP server over stdin and `output`, until its input ends or a signal comes.
// Exit status: 0 after the end of input or a signal; 1 when the output could not be written.

#include "base/unique_fd.h"
#include "config.h"
#include "engine/engine.h"
#include "sandbox/sandbox.h"

namespace bashcell::commands {

int serve(const Config& config, base::UniqueFd output);

// The same with parts of the caller's choice; `engine` must outlive the call.
int serve_with(const Config& config, base::UniqueFd output, engine::Engine& engine, sandbox::SpecMaker make_spec,
               sandbox::SandboxOptions options);

}  // namespace bashcell::commands
