#include "supervisor/job.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "supervisor/read_some.h"
#include "supervisor/runner_report.h"
#include "supervisor/shell.h"
#include "supervisor/state.h"
#include "supervisor/tree.h"

namespace bashcell::supervisor {

namespace {

constexpr base::Duration kSavedPause{3};               // between two reads of a state that is being written
constexpr size_t kMaxSavedBytes = 4 * kMaxStateBytes;  // with room for what is not kept; the rest is read and dropped

std::string prefix_for(const Runner& runner, const std::string& workspace) {
  const ShellState& state = runner.start->state;
  return script_prefix(state.cwd, state.old_cwd, runner.start->late.valid(), workspace);
}

}  // namespace

base::Meter meter_of(const wire::Run& run) {
  return base::Budget{static_cast<size_t>(run.max_chars), static_cast<size_t>(run.max_tokens)};
}

size_t budget_of(const wire::Run& run, const base::Meter& meter) {
  const base::Budget reserve{static_cast<size_t>(run.reserve_chars), static_cast<size_t>(run.reserve_tokens)};
  return std::max(meter.limit() - std::min(meter.limit(), meter.cost(reserve)), 2 * meter.cost(kStatusLine));
}

Job::Job(Shared& shared, wire::Run run, Runner runner, Events events)
    : shared_(shared),
      run_(std::move(run)),
      runner_(std::move(runner)),
      events_(std::move(events)),
      meter_(meter_of(run_)),
      capture_(run_.id, meter_, prefix_for(runner_, shared.workspace), shared.spills),
      limits_at_start_(shared.limits.read()),
      started_(base::now()),
      deadline_(started_ + base::Duration(run_.timeout_ms)),
      phase_started_(started_) {
  shared_.loop.watch(runner_.output.get(), POLLIN, [this](short) { on_output(); });
  shared_.loop.watch(runner_.saved.get(), POLLIN, [this](short) { on_saved(); });
  shared_.loop.watch(runner_.reports.get(), POLLIN, [this](short) { on_reports(); });
  arm(base::until(deadline_), &Job::on_deadline);
  // At first a little earlier: it should be there when the host tells its client.
  if (run_.progress_ms > 0) tell_progress(base::Duration(run_.progress_ms) * 3 / 4);
  if (const auto released = runner_.release(prefix_for(runner_, shared_.workspace), run_.script); !released) {
    problem_ = released.error().message;
    terminate(wire::Outcome::kLost);
  }
}

Job::~Job() {
  shared_.loop.cancel(progress_timer_);
  shared_.loop.cancel(output_timer_);
  shared_.loop.cancel(saved_timer_);
  shared_.loop.cancel(timer_);
  for (const base::UniqueFd* fd : {&runner_.output, &runner_.saved, &runner_.reports}) shared_.loop.unwatch(fd->get());
}

void Job::arm(base::Duration wait, void (Job::*action)()) {
  shared_.loop.cancel(timer_);
  timer_ = shared_.loop.after(wait, [this, action] { (this->*action)(); });
}

void Job::on_output() {
  const bool keep = phase_ == Phase::kRunning || phase_ == Phase::kDraining;
  size_t bytes = 0;
  const ReadEnd end = read_some(runner_.output.get(), [&](std::string_view piece) {
    bytes += piece.size();
    if (phase_ == Phase::kDraining) {
      piece = piece.substr(0, drain_left_);
      drain_left_ -= piece.size();
    }
    if (keep) capture_.add(piece);
    if (keep && run_.progress_ms > 0) last_line_.add(piece);
  });
  if (end == ReadEnd::kEnd) {
    shared_.loop.unwatch(runner_.output.get());
    if (phase_ == Phase::kDraining) finish();
    return;
  }
  if (phase_ == Phase::kDraining) {
    if (drain_left_ == 0) return finish();
    const auto left = kDrainLimit - std::chrono::duration_cast<base::Duration>(base::now() - phase_started_);
    if (left <= base::Duration::zero()) return finish();
    arm(std::min(left, kDrainQuiet), &Job::finish);
  } else {
    pause_output(output_pace_.pause_after(bytes));
  }
}

void Job::tell_progress(base::Duration wait) {
  progress_timer_ = shared_.loop.after(wait, [this] {
    if (phase_ != Phase::kRunning) return;
    if (std::string line = last_line_.text(); line != told_line_) {
      told_line_ = line;
      events_.on_progress({.id = run_.id, .last_line = std::move(line)});
    }
    tell_progress(base::Duration(run_.progress_ms));
  });
}

void Job::pause_output(base::Duration pause) {
  if (pause == base::Duration::zero()) return;
  // In the pause more may come than a usual pipe holds. Where this is refused, the script waits a little.
  if (!std::exchange(output_widened_, true)) ::fcntl(runner_.output.get(), F_SETPIPE_SZ, kOutputPipeBytes);
  shared_.loop.set_events(runner_.output.get(), 0);
  shared_.loop.cancel(output_timer_);
  output_timer_ = shared_.loop.after(pause, [this] { resume_output(); });
}

void Job::resume_output() { shared_.loop.set_events(runner_.output.get(), POLLIN); }

void Job::on_saved() {
  const ReadEnd end = read_some(runner_.saved.get(), [&](std::string_view piece) {
    if (saved_.size() + piece.size() > kMaxSavedBytes) {
      saved_too_much_ = true;
      piece = piece.substr(0, kMaxSavedBytes - saved_.size());
    }
    if (phase_ != Phase::kDone) saved_ += piece;
  });
  if (end == ReadEnd::kEnd) {
    shared_.loop.unwatch(runner_.saved.get());
    return;
  }
  // bash writes line by line. Waking up for each would cost more than all the rest; the pipe holds a usual state.
  shared_.loop.set_events(runner_.saved.get(), 0);
  shared_.loop.cancel(saved_timer_);
  saved_timer_ = shared_.loop.after(kSavedPause, [this] { shared_.loop.set_events(runner_.saved.get(), POLLIN); });
}

void Job::on_reports() {
  RunnerReport report;
  ssize_t count = 0;
  while ((count = ::read(runner_.reports.get(), &report, sizeof report)) == static_cast<ssize_t>(sizeof report)) {
    if (report.kind == RunnerReport::kNoShell) {
      phase_ = Phase::kDone;
      never_ran_ = true;
      shared_.loop.cancel(timer_);
      return events_.on_no_shell(*this, report.value);
    }
    if (report.kind == RunnerReport::kEnded) return on_shell_ended(report.value);
  }
  // The runner is ending. Its SIGCHLD is what counts; until then poll() would return at once, again and again.
  if (count == 0) shared_.loop.unwatch(runner_.reports.get());
}

void Job::on_shell_ended(int wait_status) {
  shell_ended_ = true;
  ended_ = base::now();
  code_ = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  on_saved();  // all of it is in the pipe by now, but for what does not fit: then it was being read before
  if (phase_ != Phase::kRunning) return;
  if (runner_.script_untouched() && events_.on_untouched(*this, wait_status)) {
    phase_ = Phase::kDone;
    never_ran_ = true;
    shared_.loop.cancel(timer_);
    return;
  }
  outcome_ = WIFSIGNALED(wait_status) ? wire::Outcome::kSignaled : wire::Outcome::kExited;
  phase_ = Phase::kDraining;
  phase_started_ = ended_;
  // Everything that bash waited for has been written: it is in the pipe now. What comes after that is from what bash
  // left behind: a `> >(tee)` that passes on the rest is heard, a job in the background that floods is not.
  int pending = 0;
  ::ioctl(runner_.output.get(), FIONREAD, &pending);
  drain_left_ = static_cast<size_t>(pending) + kDrainBytes;
  arm(kDrainQuiet, &Job::finish);
  resume_output();
  on_output();
}

void Job::hold() {
  if (phase_ != Phase::kRunning) return;
  was_held_ = true;
  if (++holds_ > 1) return;
  held_since_ = base::now();
  shared_.loop.cancel(timer_);
}

void Job::release() {
  if (holds_ == 0 || --holds_ > 0) return;
  deadline_ += base::now() - held_since_;
  if (phase_ == Phase::kRunning) arm(base::until(deadline_), &Job::on_deadline);
}

void Job::terminate(wire::Outcome reason) {
  if (phase_ != Phase::kRunning && phase_ != Phase::kDraining) return;
  ReadEnd end = ReadEnd::kTurnOver;
  for (int turn = 0; end == ReadEnd::kTurnOver && turn < 16; ++turn) {
    end = read_some(runner_.output.get(), [&](std::string_view piece) { capture_.add(piece); });
  }
  outcome_ = reason;
  phase_ = Phase::kTerminating;
  phase_started_ = base::now();
  if (!shell_ended_) ended_ = phase_started_;
  ::kill(runner_.pid, SIGCONT);  // a stopped runner would not reap
  killed_ = terminate_tree(runner_.pid);
  arm(kGrace, &Job::kill_round);
  if (runner_is_gone_) finish();
}

int Job::kill_background() {
  if (runner_is_gone_ || std::exchange(killing_background_, true)) return 0;
  const int count = static_cast<int>(descendants(runner_.pid).size());
  phase_started_ = base::now();
  kill_round();
  return count;
}

void Job::kill_round() {
  if (phase_ != Phase::kDone) phase_ = Phase::kKilling;
  if (base::now() - phase_started_ > kGrace + kKillLimit) {
    if (phase_ != Phase::kDone) {
      problem_ = "some processes could not be killed";
      finish();
    }
    return;
  }
  ::kill(runner_.pid, SIGCONT);
  kill_tree(runner_.pid);
  arm(kKillRound, &Job::kill_round);
}

void Job::runner_gone(bool by_signal) {
  if (phase_ != Phase::kDone) on_reports();
  runner_is_gone_ = true;
  if (phase_ == Phase::kDone) {
    shared_.loop.cancel(timer_);
  } else if (phase_ == Phase::kRunning) {
    // It ends only after its last process, and reports bash first: it was killed.
    ended_ = base::now();
    killed_ = 0;
    problem_ = by_signal ? "the script killed its own supervisor" : "the end of the script could not be observed";
    finish();
  } else {
    if (phase_ == Phase::kDraining) on_output();
    if (phase_ != Phase::kDone) finish();
  }
}

void Job::finish() {
  if (phase_ == Phase::kDone) return;
  shared_.loop.cancel(timer_);
  on_saved();
  wire::Done done = result();
  phase_ = Phase::kDone;
  run_.script = std::string();  // background jobs may keep this object for long
  saved_ = std::string();
  events_.on_done(std::move(done), run_, deadline_ + kGrace + kReplyMargin);
  run_.filter = std::string();
}

wire::Done Job::result() {
  wire::Done done;
  done.id = run_.id;
  done.outcome = outcome_;
  done.code = code_;
  done.wall_ms = std::chrono::duration_cast<base::Duration>(ended_ - started_).count();
  done.killed = killed_;
  done.problem = problem_;
  const LimitEvents limits = shared_.limits.read();
  done.memory_limit_hit = limits.memory_kills > limits_at_start_.memory_kills;
  done.process_limit_hit = limits.forks_refused > limits_at_start_.forks_refused;
  commit_state(done);
  take_output(done);
  return done;
}

void Job::commit_state(wire::Done& done) {
  std::optional<SavedShell> saved;
  if (!saved_too_much_) saved = parse_saved(saved_, runner_.start->state, shared_.run_folder);
  if (saved && done.outcome == wire::Outcome::kExited) done.stages.assign(saved->stages.begin(), saved->stages.end());
  // A bash that was killed, or replaced by exec, saved nothing: it loses only its own changes, and nobody is told.
  if (saved_.empty() || drops_state_) return;
  const bool kept = saved && events_.on_state(*runner_.start, *saved);
  done.state_dropped = !kept;
}

void Job::take_output(wire::Done& done) {
  const size_t notice = meter_.cost(kStatusLine);
  const size_t budget = budget_of(run_, meter_);
  // What was done for it meanwhile, the host will tell.
  const bool plain = !was_held_ && done.outcome == wire::Outcome::kExited && done.code == 0 && !done.memory_limit_hit &&
                     !done.process_limit_hit && !done.state_dropped && done.problem.empty() &&
                     std::all_of(done.stages.begin(), done.stages.end(), [](int64_t stage) { return stage == 0; });
  // Without a status line all of the budget is the output's; leaving something out needs one.
  CaptureResult captured =
      plain ? std::move(capture_).finish(budget, notice) : std::move(capture_).finish(budget - notice);
  done.output = std::move(captured.text);
  done.total_lines = captured.total_lines;
  done.total_bytes = captured.total_bytes;
  done.left_out_lines = captured.left_out_lines;
  done.left_out_bytes = captured.left_out_bytes;
  done.spill = std::move(captured.spill);
  done.spill_cut = captured.spill_cut;
  done.spill_problem = std::move(captured.spill_problem);
}

}  // namespace bashcell::supervisor
