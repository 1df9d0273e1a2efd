#include "tools/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "tools/reply_text.h"

namespace bashcell::tools {

namespace {

constexpr int kTimedOutExit = 124;
constexpr int kNotRunExit = 125;

std::string signal_name(int64_t number) {
  const char* name = number > 0 && number < NSIG ? ::sigabbrev_np(static_cast<int>(number)) : nullptr;
  return name != nullptr ? std::string("SIG") + name : fmt::format("signal {}", number);
}

// Whether a word of the script is one of the programs whose exit 1 is an answer and no failure.
bool has_answering_program(std::string_view script) {
  constexpr std::array<std::string_view, 9> kPrograms{"grep", "egrep", "fgrep", "zgrep", "rg",
                                                      "diff", "cmp",   "test",  "["};
  constexpr std::string_view kWordEnds = " \t\n;|&(){}<>\"'`$/";
  for (size_t at = 0; at < script.size();) {
    const size_t start = script.find_first_not_of(kWordEnds, at);
    if (start == std::string_view::npos) return false;
    at = std::min(script.find_first_of(kWordEnds, start), script.size());
    const std::string_view word = script.substr(start, at - start);
    if (std::find(kPrograms.begin(), kPrograms.end(), word) != kPrograms.end()) return true;
  }
  return false;
}

// "2|0": told when a stage before the last failed for a reason of its own. A stage that died of SIGPIPE was only cut
// short by its reader (`yes | head -1`).
std::string masked_stages(const wire::Done& done, std::string_view script) {
  constexpr int64_t kSigpipeExit = 128 + SIGPIPE;
  bool masked = false;
  std::string list;
  for (size_t i = 0; i < done.stages.size(); ++i) {
    const int64_t stage = done.stages[i];
    list += fmt::format("{}{}", i > 0 ? "|" : "", stage);
    const bool excused = stage == 0 || stage == kSigpipeExit || (stage == 1 && has_answering_program(script));
    if (i + 1 < done.stages.size() && !excused) masked = true;
  }
  return masked ? fmt::format("stages {}: an earlier stage of the last pipeline failed", list) : std::string();
}

std::string left_out(const wire::Done& done) {
  if (done.left_out_bytes == 0) return {};
  std::string part =
      done.left_out_lines > 0
          ? fmt::format("left out {} of {} lines ({})", base::grouped(done.left_out_lines),
                        base::grouped(done.total_lines), base::size_text(done.left_out_bytes))
          : fmt::format("left out {} of {}", base::size_text(done.left_out_bytes), base::size_text(done.total_bytes));
  if (!done.spill_problem.empty()) return part + "; the whole could not be kept: " + one_line(done.spill_problem, 120);
  if (done.spill.empty()) return part;
  return part + (done.spill_cut ? "; the beginning of it: " : "; all of it: ") + one_line(done.spill, 60);
}

// The facts of a call, each a clause of the status line, the most important first.
std::vector<std::string> facts(const wire::Done& done, const RenderContext& context) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  if (done.memory_limit_hit) add(fmt::format("memory limit {} MB exceeded", context.limits.memory_bytes >> 20));
  if (done.process_limit_hit) add(fmt::format("process limit {} reached", context.limits.pids));
  if (done.outcome == wire::Outcome::kExited && done.code == 0) add(masked_stages(done, context.script));
  if (done.killed_background > 0) {
    add(fmt::format("the process limit left no room, so {} background processes of earlier calls were killed",
                    done.killed_background));
  }
  if (done.state_dropped) add("the shell state was too large or unreadable, so this call's changes to it were dropped");
  add(left_out(done));
  return parts;
}

std::string ending(const wire::Done& done, const RenderContext& context) {
  switch (done.outcome) {
    case wire::Outcome::kExited:
      return fmt::format("exit {}", done.code);
    case wire::Outcome::kSignaled:
      return fmt::format("exit {}; bash was killed by {}", 128 + done.code, signal_name(done.code));
    case wire::Outcome::kTimedOut:
      return fmt::format("timed out after {}; killed {} process{}", base::seconds_text(context.timeout), done.killed,
                         done.killed == 1 ? "" : "es");
    case wire::Outcome::kCancelled:
      return "cancelled";
    case wire::Outcome::kNotStarted:
      return "not run: " + one_line(done.problem, 200);
    case wire::Outcome::kLost:
      return "its end is unknown: " + one_line(done.problem, 200);
  }
  return {};
}

Rendered render_done(const wire::Done& done, const sandbox::CallReport& report, const RenderContext& context) {
  std::vector<std::string> parts = facts(done, context);
  if (report.new_cell) parts.emplace_back("new cell: cwd, variables and /tmp were reset");
  if (!report.network.empty()) parts.push_back("network: " + one_line(report.network, 130));
  const size_t news = (report.new_cell ? 1 : 0) + (report.network.empty() ? 0 : 1);
  if (!report.not_enforced.empty()) {
    parts.push_back("not enforced here: " + one_line(fmt::format("{}", fmt::join(report.not_enforced, ", ")), 140));
  }
  Rendered rendered;
  rendered.is_error = done.outcome != wire::Outcome::kExited && done.outcome != wire::Outcome::kSignaled;
  rendered.exit_code = done.outcome == wire::Outcome::kExited     ? static_cast<int>(done.code & 0xFF)
                       : done.outcome == wire::Outcome::kSignaled ? static_cast<int>((128 + done.code) & 0xFF)
                       : done.outcome == wire::Outcome::kTimedOut ? kTimedOutExit
                                                                  : kNotRunExit;
  const bool succeeded = done.outcome == wire::Outcome::kExited && done.code == 0;
  const bool only_news = news > 0 && parts.size() == news && succeeded;
  if (!only_news && (!succeeded || !parts.empty())) parts.insert(parts.begin(), ending(done, context));
  const std::string status = parts.empty() ? std::string() : fmt::format("[cell: {}]", fmt::join(parts, "; "));
  rendered.text = reply_text(done.output, status, context.budget);
  return rendered;
}

Rendered failure(std::string text) { return {.text = std::move(text), .is_error = true, .exit_code = kNotRunExit}; }

}  // namespace

Rendered render(const sandbox::CallReport& report, const RenderContext& context) {
  if (const auto* done = std::get_if<wire::Done>(&report.result)) return render_done(*done, report, context);
  if (const auto* lost = std::get_if<sandbox::CellLost>(&report.result)) {
    return failure(
        fmt::format("[cell: the cell was lost while the script ran ({}); the script may have run in part, and is "
                    "not run again by itself; the next call gets a fresh cell]",
                    one_line(lost->why, 300)));
  }
  return failure(fmt::format("[cell: not run: {}]", one_line(std::get<sandbox::NotRun>(report.result).why, 1500)));
}

}  // namespace bashcell::tools
