#include "commands/run.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "commands/engines.h"
#include "commands/healing.h"
#include "commands/parts.h"
#include "commands/shelving.h"
#include "commands/standard_streams.h"
#include "commands/stop_signals.h"
#include "tools/questions.h"
#include "tools/render.h"

namespace bashcell::commands {
namespace {

constexpr int kWrongOption = 2;
constexpr int kCouldNotRun = 125;
constexpr base::Duration kPullPatience{600'000};
constexpr base::Duration kPatienceWithStart{1'000};
constexpr size_t kLargestScript = size_t{8} << 20;  // as over MCP

base::Result<std::string> script_of(const std::string& operand) {
  if (operand != "-") return operand;
  std::string script;
  std::array<char, 16384> buffer{};
  while (true) {
    const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::errno_error("cannot read the script from stdin");
    if (n == 0) return script;
    script.append(buffer.data(), static_cast<size_t>(n));
    if (script.size() > kLargestScript) return base::Error{"the script is over 8 MB"};
  }
}

// What came of the call; a signal asks for its end, and a second one does not wait for it.
struct Ending {
  std::optional<sandbox::CallReport> report;
  std::vector<std::string> installed;  // packages, for it
  std::vector<std::string> healing;    // clauses: what was done for it
  int signal = 0;
};

// `lock`: held before it runs and until the program ends; none, and it runs at once.
Ending run_to_end(base::EventLoop& loop, sandbox::Sandbox& sandbox, heal::Healer& healer, sandbox::WorkspaceLock* lock,
                  sandbox::CallRequest request) {
  Ending ending;
  const std::string script = request.script;
  sandbox::Sandbox::CallId call = 0;
  const StopSignals signals(loop, [&](int signal) {  // before the call: the starting thread inherits the mask
    if (ending.signal != 0 || ending.report || call == 0) loop.stop();
    ending.signal = signal;
    sandbox.cancel(call);
  });
  const auto on_report = [&](sandbox::CallReport report) {
    ending.report = std::move(report);
    healer.finish(call, {.report = *ending.report, .script = script, .spec = sandbox.spec()},
                  [&](std::vector<std::string> clauses) {
                    ending.installed = healer.installed(call);
                    ending.healing = std::move(clauses);
                    loop.stop();
                  });
  };
  const auto start = [&] {
    call = sandbox.run(std::move(request), on_report);
    healer.begin(call);
  };
  if (lock == nullptr) {
    start();
  } else {
    lock->take([&](const base::Result<void>& taken) {
      if (taken) return start();
      ending.report = sandbox::CallReport{.result = sandbox::NotRun{taken.error().message}};
      loop.stop();
    });
  }
  loop.run();
  return ending;
}

}  // namespace

int run(const Invocation& invocation, base::UniqueFd output) {
  const Config& config = invocation.config;
  const base::Result<std::string> script = script_of(invocation.operand);
  if (!script) return fail(script.error().message, kCouldNotRun);
  const tools::BashToolOptions options = bash_tool_options(config);
  base::Result<sandbox::CallRequest> request = tools::bash_request({{"command", *script}}, options);
  if (!request) return fail(request.error().message, kCouldNotRun);

  const base::Result<std::unique_ptr<tools::Audit>> audit = open_audit(config);
  if (!audit) return fail(audit.error().message, kWrongOption);
  base::EventLoop loop;
  // There is no next call that could find an image further on its way.
  const std::unique_ptr<engine::Engine> engine =
      make_engine(config, {.patience = kPullPatience, .on_wait = [](const std::string& how_far) {
                             static_cast<void>(base::write_all(STDERR_FILENO, "bashcell: " + how_far + "\n"));
                           }});
  sandbox::SandboxOptions settings = sandbox_options(config);
  if (config.log == base::LogLevel::kError) settings.log = base::Log(base::LogLevel::kQuiet);  // the reply says it
  sandbox::WorkspaceLock workspace_lock(loop, [&config] { return workspace_lock_place(config); });
  sandbox::Sandbox sandbox(
      loop, *engine, [&config] { return cell_spec(config); }, std::move(settings));
  Healing healing(config, loop);
  shelf::Keeper shelf(loop, sandbox, keeper_options(config, healing.table()));
  tools::answer_questions(sandbox, &healing.healer(), &shelf);
  const Ending ending = run_to_end(loop, sandbox, healing.healer(), config.workspace_lock ? &workspace_lock : nullptr,
                                   std::move(*request));
  // A start cannot be interrupted; a cell that has started by now ends with our descriptors.
  const bool has_started =
      ending.signal == 0 || (sandbox.wait_for_start(kPatienceWithStart) && healing.wait_for_start(kPatienceWithStart));
  if (!has_started) ::_exit(128 + ending.signal);
  if (ending.signal != 0) return 128 + ending.signal;
  if (!ending.report) return kCouldNotRun;

  const tools::Rendered reply = tools::render(*ending.report, {.script = *script,
                                                               .timeout = options.timeout,
                                                               .budget = options.budget,
                                                               .limits = sandbox.spec(),
                                                               .session = sandbox.session_limits(),
                                                               .healing = ending.healing});
  static_cast<void>(base::write_all(output.get(), reply.text + "\n"));  // whoever reads may have seen enough
  if (*audit)
    (*audit)->add(
        {.script = *script, .report = *ending.report, .reply_bytes = reply.text.size(), .installed = ending.installed});
  return reply.exit_code;
}

}  // namespace bashcell::commands
