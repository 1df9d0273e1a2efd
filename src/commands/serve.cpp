#include "commands/serve.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "commands/parts.h"
#include "embedded/command_texts.h"
#include "mcp/server.h"
#include "rpc/recording_transport.h"
#include "rpc/stdio_transport.h"
#include "wire/version.h"

namespace bashcell::commands {

namespace {

// Clients send SIGTERM and SIGKILL half a second apart, so a signal ends the server at once; the cell goes with its
// stream, and needs none of our code for that.
base::UniqueFd watch_signals(base::EventLoop& loop) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  base::UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (fd.valid()) loop.watch(fd.get(), POLLIN, [&loop](short) { loop.stop(); });
  return fd;
}

// What was read before the end of input is finished first, for at most this long.
constexpr base::Duration kPatienceAtEnd{2'000};

}  // namespace

int serve(const Config& config, base::UniqueFd output) {
  const base::Log log(config.log);
  base::EventLoop loop;
  const base::UniqueFd signals = watch_signals(loop);

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

  const std::unique_ptr<engine::Engine> engine = make_engine(config);
  sandbox::Sandbox sandbox(loop, *engine, [&config] { return cell_spec(config); }, sandbox_options(config));
  tools::BashTool bash(sandbox, bash_tool_options(config));

  mcp::ServerOptions options;
  options.version = wire::kVersion;
  options.log = log;
  if (config.instructions) options.instructions = kSystemPrompt;
  mcp::Server server(loop, transport, {&bash}, std::move(options));

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

  // A start under way may take a while, and its thread cannot be interrupted. What it starts ends with our descriptors.
  if (sandbox.starting()) ::_exit(exit_status);
  return exit_status;
}

}  // namespace bashcell::commands
