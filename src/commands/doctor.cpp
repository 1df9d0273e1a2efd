#include "commands/doctor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "commands/engines.h"
#include "commands/limit_table.h"
#include "commands/parts.h"
#include "commands/stop_signals.h"
#include "config_paths.h"
#include "wire/version.h"

namespace bashcell::commands {
namespace {

using engine::Finding;

// One measured cell: what came of a script in it, and what its PID 1 read.
struct Measured {
  std::optional<wire::CellFacts> facts;
  std::optional<sandbox::CallReport> report;
  engine::CellSpec spec;
  base::Duration wall{0};
};

Finding supervisor_finding(const Config& config) {
  Finding finding{.ok = false, .what = "bashcell-init", .detail = "", .fix = ""};
  const base::Result<std::string> path = find_supervisor(config);
  if (!path) {
    finding.detail = path.error().message;
    return finding;
  }
  base::SpawnOptions command;
  command.argv = {*path, "--version"};
  const auto answer = base::run_captured(std::move(command), std::chrono::seconds(5));
  if (!answer || answer->timed_out || answer->status.signaled || answer->status.code != 0) {
    finding.detail = *path + (answer ? " --version fails" : ": " + answer.error().message);
    return finding;
  }
  const std::string said(base::trimmed(answer->output.substr(0, 200)));
  const std::string version = said.substr(said.rfind(' ') + 1);
  finding.ok = version == wire::kVersion;
  finding.detail = finding.ok ? *path
                              : fmt::format("{} is version {}; this program needs {}: build and install both together",
                                            *path, version, wire::kVersion);
  return finding;
}

Measured measure(const Config& config, engine::Engine& engine) {
  Measured measured;
  base::EventLoop loop;
  sandbox::SandboxOptions options = sandbox_options(config);
  if (config.log == base::LogLevel::kError) options.log = base::Log(base::LogLevel::kQuiet);  // the verdict says it
  options.judge = [&](const engine::CellSpec& spec, const wire::CellFacts& facts) {
    measured.facts = facts;
    measured.spec = spec;
    return sandbox::check_limits(spec, facts);
  };
  sandbox::Sandbox sandbox(
      loop, engine, [&config] { return cell_spec(config); }, std::move(options));
  const StopSignals signals(loop, [&loop](int) { loop.stop(); });
  const base::Instant start = base::now();
  sandbox.run({.script = "echo ready", .timeout = std::chrono::seconds(10)}, [&](sandbox::CallReport report) {
    measured.report = std::move(report);
    measured.wall = std::chrono::duration_cast<base::Duration>(base::now() - start);
    loop.stop();
  });
  loop.run();
  return measured;
}

std::string workspace_text(const engine::CellSpec& spec) {
  return spec.workspace_volume.empty() ? spec.workspace : "the engine's volume " + spec.workspace_volume;
}

std::string mark(bool ok, bool required = true) {
  if (ok) return "ok  ";
  return required ? "FAIL" : "weak";
}

std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("  {}  {:<16} {}\n", mark(finding.ok), finding.what, finding.detail);
  if (!finding.fix.empty()) text += fmt::format("        {:<16} to fix it: {}\n", "", finding.fix);
  return text;
}

std::string limits_text(const Measured& measured) {
  std::string text =
      fmt::format("\nIn a cell, as read from inside:\n        {:<22} {:<14} {}\n", "", "wanted", "found");
  for (const LimitRow& row : limit_rows(measured.spec, *measured.facts)) {
    text += fmt::format("  {}  {:<22} {:<14} {}\n", mark(row.ok, row.required), row.what, row.wanted, row.found);
  }
  return text;
}

// Nothing when the script ran as it should.
std::optional<std::string> problem_of(const Measured& measured) {
  if (!measured.report) return "it was interrupted";
  const auto& result = measured.report->result;
  if (const auto* not_run = std::get_if<sandbox::NotRun>(&result)) return not_run->why;
  if (const auto* lost = std::get_if<sandbox::CellLost>(&result)) return lost->why;
  const auto& done = std::get<wire::Done>(result);
  if (!done.problem.empty()) return done.problem;
  if (done.outcome != wire::Outcome::kExited || done.code != 0) return "a script that only says `ready` failed";
  return std::nullopt;
}

std::string verdict(const Measured& measured, const std::vector<Finding>& findings) {
  const std::optional<std::string> problem = problem_of(measured);
  if (!problem) {
    std::string text =
        fmt::format("\nCalls work: the first one took {} ms with the start of its cell.\n", measured.wall.count());
    for (const std::string& limit : measured.report->not_enforced) text += "Not enforced: " + limit + ".\n";
    return text;
  }
  std::string text = "\nCalls do not work: " + *problem + "\n";
  for (const Finding& finding : findings) {
    if (finding.ok || finding.fix.empty() || problem->find(finding.fix) != std::string::npos) continue;
    return text + "To fix it: " + finding.fix + "\n";
  }
  return text;
}

// What is said of one engine, and whether calls work with it.
struct EngineReport {
  std::string text;
  bool works = false;
};

EngineReport report_on(const Config& config, FoundEngine& found, const engine::CellSpec& spec) {
  EngineReport report{.text = fmt::format("\nEngine {}:\n", found.title)};
  if (!found.engine) {
    // Where any engine will do, one that is not there is no failure.
    report.text += config.engine == EngineChoice::kAuto
                       ? fmt::format("  --    {:<16} {}\n", "engine", found.problem)
                       : finding_text({.ok = false, .what = "engine", .detail = found.problem, .fix = found.fix});
    return report;
  }
  const std::vector<Finding> findings = found.engine->examine(spec);
  for (const Finding& finding : findings) report.text += finding_text(finding);
  const Measured measured = measure(config, *found.engine);
  if (measured.facts) report.text += limits_text(measured);
  report.text += verdict(measured, findings);
  report.works = !problem_of(measured);
  return report;
}

// The engine that calls use: of the first kind that is tried and works. Of several Docker engines the first one counts.
const FoundEngine* chosen(const Config& config, const std::vector<FoundEngine>& engines,
                          const std::vector<EngineReport>& reports) {
  for (const EngineChoice kind : engine_order(config)) {
    const auto found =
        std::find_if(engines.begin(), engines.end(), [kind](const FoundEngine& one) { return one.kind == kind; });
    if (found == engines.end()) continue;
    if (reports[static_cast<size_t>(found - engines.begin())].works) return &*found;
  }
  return nullptr;
}

}  // namespace

int doctor(const Invocation& invocation, base::UniqueFd output) {
  const Config& config = invocation.config;
  std::vector<Finding> findings = {supervisor_finding(config)};
  const base::Result<engine::CellSpec> spec = cell_spec(config);
  findings.push_back(
      {.ok = spec.ok(), .what = "workspace", .detail = spec ? workspace_text(*spec) : spec.error().message, .fix = ""});
  std::string text = fmt::format("bashcell {}\n\nOn this machine:\n", wire::kVersion);
  for (const Finding& finding : findings) text += finding_text(finding);

  engine::CellSpec examined = spec ? *spec : engine::CellSpec{};
  if (examined.image.empty()) examined.image = cell_image(config);
  std::vector<FoundEngine> engines = find_engines(config);
  std::vector<EngineReport> reports;
  for (FoundEngine& found : engines) {
    reports.push_back(report_on(config, found, examined));
    text += reports.back().text;
  }
  const FoundEngine* const used = chosen(config, engines, reports);
  if (engines.size() > 1) {
    text += used != nullptr ? fmt::format("\nWith these options, calls use {}.\n", used->title)
                            : std::string("\nWith these options, calls do not work.\n");
  }
  static_cast<void>(base::write_all(output.get(), text));
  return used != nullptr ? 0 : 1;
}

}  // namespace bashcell::commands
