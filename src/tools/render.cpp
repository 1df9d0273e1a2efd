#include "tools/render.h"
#include "script/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "tools/reply_text.h"
#include "tools/script_command.h"

namespace bashcell::tools {

namespace {

constexpr int kTimedOutExit = 124;
constexpr int kNotRunExit = 125;

std::string signal_name(int64_t number) {
  const char* name = number > 0 && number < NSIG ? ::sigabbrev_np(static_cast<int>(number)) : nullptr;
  return name != nullptr ? std::string("SIG") + name : fmt::format("signal {}", number);
}

constexpr std::array<std::string_view, 9> kAnsweringPrograms{"grep", "egrep", "fgrep", "zgrep", "rg",
                                                             "diff", "cmp",   "test",  "["};

// Whether exit 1 of this program is an answer and no failure.
bool answers(std::string_view program) {
  return std::find(kAnsweringPrograms.begin(), kAnsweringPrograms.end(), program) != kAnsweringPrograms.end();
}

// Whether such a program is anywhere in the script.
bool has_answering_program(std::string_view script) {
  constexpr std::string_view kWordEnds = " \t\n;|&(){}<>\"'`$/";
  for (size_t at = 0; at < script.size();) {
    const size_t start = script.find_first_not_of(kWordEnds, at);
    if (start == std::string_view::npos) return false;
    at = std::min(script.find_first_of(kWordEnds, start), script.size());
    if (answers(script.substr(start, at - start))) return true;
  }
  return false;
}

// For each of `count` stages, whether its exit 1 is an answer. By the last pipeline of the script, where that can be
// told to be the one that ran last; else by all of the script.
std::vector<bool> answering_stages(std::string_view script, size_t count) {
  const std::vector<bool> unclear(count, has_answering_program(script));
  auto pipelines = script::split_script(script);
  // `exit` leaves the stages as they are.
  while (pipelines && !pipelines->empty() &&
         pipelines->back().stages[0].words == std::vector<std::string>{"exit", "0"}) {
    pipelines->pop_back();
  }
  if (!pipelines || pipelines->empty()) return unclear;
  const bool maybe_another = std::any_of(pipelines->begin(), pipelines->end(), [](const script::Pipeline& pipeline) {
    return pipeline.joint == script::Joint::kOr;
  });
  const std::vector<script::SimpleCommand>& stages = pipelines->back().stages;
  if (maybe_another || stages.size() != count) return unclear;
  std::vector<bool> answering;
  for (const script::SimpleCommand& stage : stages) {
    const std::vector<std::string> words = unwrapped(stage);
    answering.push_back(words.empty() ? unclear[0] : answers(words[0]));
  }
  return answering;
}

// "2|0": told when a stage before the last failed for a reason of its own. A stage that died of SIGPIPE was only cut
// short by its reader (`yes | head -1`).
std::string masked_stages(const wire::Done& done, std::string_view script) {
  constexpr int64_t kSigpipeExit = 128 + SIGPIPE;
  const size_t count = done.stages.size();
  if (std::all_of(done.stages.begin(), done.stages.end(), [](int64_t stage) { return stage == 0; })) return {};
  const std::vector<bool> answering = answering_stages(script, count);
  bool masked = false;
  std::string list;
  for (size_t i = 0; i < count; ++i) {
    const int64_t stage = done.stages[i];
    list += fmt::format("{}{}", i > 0 ? "|" : "", stage);
    const bool excused = stage == 0 || stage == kSigpipeExit || (stage == 1 && answering[i]);
    if (i + 1 < count && !excused) masked = true;
  }
  return masked ? fmt::format("stages {}: an earlier stage of the last pipeline failed", list) : std::string();
}

// Where all of an output is that is not shown whole.
std::string whereabouts(const wire::Done& done) {
  if (!done.spill_problem.empty()) return "; the whole could not be kept: " + one_line(done.spill_problem, 120);
  if (done.spill.empty()) return {};
  return (done.spill_cut ? "; the beginning of it: " : "; all of it: ") + one_line(done.spill, 60);
}

// "pytest filter: 2,345 lines became 34".
std::string filtered(const wire::Done& done) {
  std::string part = fmt::format("{} filter: {} lines became {}", one_line(done.filter, 30),
                                 base::grouped(done.total_lines), base::grouped(done.filter_lines));
  if (done.left_out_lines > 0) {
    part += fmt::format(", {} of these left out", base::grouped(done.left_out_lines));
  } else if (done.left_out_bytes > 0) {
    part += fmt::format(", {} of these left out", base::size_text(done.left_out_bytes));
  }
  return part + whereabouts(done);
}

std::string left_out(const wire::Done& done) {
  if (!done.filter.empty()) return filtered(done);
  if (done.left_out_bytes == 0) return {};
  return (done.left_out_lines > 0 ? fmt::format("left out {} of {} lines ({})", base::grouped(done.left_out_lines),
                                                base::grouped(done.total_lines), base::size_text(done.left_out_bytes))
                                  : fmt::format("left out {} of {}", base::size_text(done.left_out_bytes),
                                                base::size_text(done.total_bytes))) +
         whereabouts(done);
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
  if (done.state_reset) add("the shell state could not be restored, so cwd, variables and functions were reset");
  if (done.state_dropped) add("the shell state was too large or not whole, so this call's changes to it were dropped");
  add(left_out(done));
  return parts;
}

std::string timed_out(const wire::Done& done, bool session_over, const RenderContext& context) {
  const std::string why = session_over ? fmt::format("timed out: the session's {} of running time are used up",
                                                     base::seconds_text(context.session.running))
                                       : "timed out after " + base::seconds_text(context.timeout);
  return fmt::format("{}; killed {} process{}", why, done.killed, done.killed == 1 ? "" : "es");
}

std::string minutes_text(base::Duration duration) {
  constexpr base::Duration kMinute = std::chrono::minutes(1);
  return duration % kMinute == base::Duration::zero() ? fmt::format("{} min", duration / kMinute)
                                                      : base::seconds_text(duration);
}

// Told once, by the first call of a cell that is not the first one.
std::string new_cell(const sandbox::CallReport& report, const sandbox::SessionLimits& session) {
  constexpr std::string_view kReset = "cwd, variables and /tmp were reset";
  constexpr std::string_view kStayed = "/workspace, shelf and tools stayed";
  switch (report.former_end) {
    case sandbox::CellEnd::kSessionLimit:
      return fmt::format("new cell, as the session's {} were used up: {}; {}", base::seconds_text(session.running),
                         kReset, kStayed);
    case sandbox::CellEnd::kIdleLimit:
      return fmt::format("new cell, after {} without a call: {}; {}", minutes_text(session.idle), kReset, kStayed);
    case sandbox::CellEnd::kFailure:
      break;
  }
  return fmt::format("new cell: {}", kReset);
}

std::string ending(const wire::Done& done, const sandbox::CallReport& report, const RenderContext& context) {
  switch (done.outcome) {
    case wire::Outcome::kExited:
      return fmt::format("exit {}", done.code);
    case wire::Outcome::kSignaled:
      return fmt::format("exit {}; bash was killed by {}", 128 + done.code, signal_name(done.code));
    case wire::Outcome::kTimedOut:
      return timed_out(done, report.session_over, context);
    case wire::Outcome::kCancelled:
      return "cancelled";
    case wire::Outcome::kNotStarted:
      return "not run: " + one_line(done.problem, 200);
    case wire::Outcome::kLost:
      return "its end is unknown: " + one_line(done.problem, 200);
  }
  return {};
}

std::string joined(const std::vector<std::string>& names) {
  return one_line(fmt::format("{}", fmt::join(names, ", ")), 140);
}

// What there is to say beside how the script ended.
void add_news(std::vector<std::string>& parts, const sandbox::CallReport& report, const RenderContext& context) {
  for (const std::string& clause : context.healing) parts.push_back(one_line(clause, 200));
  if (report.new_cell) parts.push_back(new_cell(report, context.session));
  if (!report.network.empty()) parts.push_back("network: " + one_line(report.network, 130));
  if (!report.unprotected.empty()) parts.push_back("not protected: " + joined(report.unprotected));
  if (!report.trusted.empty()) parts.push_back("new here, and trusted by programs outside: " + joined(report.trusted));
}

Rendered render_done(const wire::Done& done, const sandbox::CallReport& report, const RenderContext& context) {
  std::vector<std::string> parts = facts(done, context);
  const size_t facts_told = parts.size();
  add_news(parts, report, context);
  const size_t news = parts.size() - facts_told;
  if (!report.not_enforced.empty()) {
    parts.push_back("not enforced here: " + joined(report.not_enforced));
  }
  Rendered rendered;
  rendered.is_error = done.outcome != wire::Outcome::kExited && done.outcome != wire::Outcome::kSignaled;
  rendered.exit_code = done.outcome == wire::Outcome::kExited     ? static_cast<int>(done.code & 0xFF)
                       : done.outcome == wire::Outcome::kSignaled ? static_cast<int>((128 + done.code) & 0xFF)
                       : done.outcome == wire::Outcome::kTimedOut ? kTimedOutExit
                                                                  : kNotRunExit;
  const bool succeeded = done.outcome == wire::Outcome::kExited && done.code == 0;
  const bool only_news = news > 0 && parts.size() == news && succeeded;
  if (!only_news && (!succeeded || !parts.empty())) parts.insert(parts.begin(), ending(done, report, context));
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
