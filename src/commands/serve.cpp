#include "commands/serve.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "commands/engines.h"
#include "commands/healing.h"
#include "commands/parts.h"
#include "commands/shelving.h"
#include "commands/stop_signals.h"
#include "embedded/command_texts.h"
#include "mcp/server.h"
#include "rpc/recording_transport.h"
#include "rpc/stdio_transport.h"
#include "wire/version.h"

namespace bashcell::commands {

namespace {

// What was read before the end of input is finished first, for at most this long.
constexpr base::Duration kPatienceAtEnd{2'000};
// A start under way usually takes far less.
constexpr base::Duration kPatienceWithStart{1'000};

}  // namespace

int serve(const Config& config, base::UniqueFd output) {
  const std::unique_ptr<engine::Engine> engine = make_engine(config);
  return serve_with(
      config, std::move(output), *engine, [&config] { return cell_spec(config); }, sandbox_options(config));
}

int serve_with(const Config& config, base::UniqueFd output, engine::Engine& engine, sandbox::SpecMaker make_spec,
               sandbox::SandboxOptions options) {
  const base::Log log(config.log);
  base::EventLoop loop;
  if (!output.valid() || !loop.usable()) {
    log.error("cannot serve with so few open files: raise the limit (ulimit -n)");
    return 1;
  }
  // Clients send SIGTERM and SIGKILL half a second apart, so a signal ends the server at once; the cell goes with its
  // stream, and needs none of our code for that.
  const StopSignals signals(loop, [&loop](int) { loop.stop(); });

  rpc::StdioTransport stdio(loop, STDIN_FILENO, output.get());
  std::unique_ptr<rpc::RecordingTransport> recording;
  if (!config.record.empty()) {
    base::Result<base::UniqueFd> file = rpc::open_recording(config.record);
    if (!file) {
      log.error(file.error().message);
      return 1;
    }
    recording = std::make_unique<rpc::RecordingTransport>(stdio, std::move(*file), log);
  }
  rpc::Transport& transport = recording ? static_cast<rpc::Transport&>(*recording) : stdio;

  sandbox::WorkspaceLock workspace_lock(loop, [&config] { return workspace_lock_place(config); });
  sandbox::Sandbox sandbox(loop, engine, std::move(make_spec), std::move(options));
  Healing healing(config, loop);
  const base::Result<std::unique_ptr<heal::Model>> model = repair_model(config, loop);
  if (!model) {
    log.error(model.error().message);
    return 2;
  }
  shelf::Keeper shelf(loop, sandbox, keeper_options(config, healing.table()));
  const base::Result<std::unique_ptr<tools::Audit>> audit = open_audit(config);
  if (!audit) {
    log.error(audit.error().message);
    return 2;
  }
  tools::BashToolOptions tool_options = bash_tool_options(config);
  tool_options.audit = audit->get();
  tool_options.shelf = &shelf;
  tool_options.model = model->get();
  if (config.workspace_lock) tool_options.workspace_lock = &workspace_lock;
  tools::BashTool bash(loop, sandbox, &healing.healer(), std::move(tool_options));

  mcp::ServerOptions server_options;
  server_options.version = wire::kVersion;
  server_options.log = log;
  if (config.instructions) server_options.instructions = kSystemPrompt;
  mcp::Server server(loop, transport, {&bash}, std::move(server_options));

  int exit_status = 0;
  bool input_ended = false;
  server.start({.on_end_of_input =
                    [&] {
                      input_ended = true;
                      if (server.idle()) return loop.stop();
                      loop.after(kPatienceAtEnd, [&loop] { loop.stop(); });
                    },
                .on_write_failure =
                    [&](const base::Error& error) {
                      log.error("the client does not read any more: " + error.message);
                      exit_status = 1;
                      loop.stop();
                    },
                .on_idle =
                    [&] {
                      if (input_ended) loop.stop();
                    }});
  if (config.warm) sandbox.warm();
  loop.run();

  // Else what it has made by now would stay until the next server sweeps. Its thread cannot be interrupted, so this has
  // an end, too: a cell that has started by then ends with our descriptors.
  if (!sandbox.wait_for_start(kPatienceWithStart) || !healing.wait_for_start(kPatienceWithStart)) ::_exit(exit_status);
  return exit_status;
}

}  // namespace bashcell::commands
