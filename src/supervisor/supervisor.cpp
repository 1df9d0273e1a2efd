#include "supervisor/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "supervisor/tree.h"
#include "wire/version.h"

namespace bashcell::supervisor {

namespace {

constexpr int64_t kRoomForACall = 4;  // a runner, bash, and something for it to start
constexpr int64_t kRoomForAWarmOne = 8;
constexpr int kStarts = 3;  // of a bash with the same state for one call; then one more with the first state
constexpr base::Duration kCloseCalls{5};  // from a reply to the next call

}  // namespace

Supervisor::Supervisor(base::EventLoop& loop, std::unique_ptr<Control> control, SupervisorOptions options)
    : loop_(loop),
      control_(std::move(control)),
      options_(std::move(options)),
      spills_(options_.spill_parent),
      discarded_(loop_),
      shared_{loop_, spills_, limits_, options_.paths.workspace, options_.paths.run_folder},
      asks_(loop_, {.on_ask = [this](wire::Ask ask, pid_t from) { on_ask(std::move(ask), from); },
                    .on_over = [this](uint64_t id) { on_ask_over(id); }}) {}

Supervisor::~Supervisor() {
  loop_.cancel(lease_timer_);
  loop_.cancel(orphan_timer_);
  loop_.unwatch(child_signals_.get());
}

base::Result<void> Supervisor::start(ShellState first_state) {
  base::Result<ShellCommons> commons = ShellCommons::make(options_.paths);
  if (!commons) return commons.error();
  commons_ = std::move(*commons);
  base::Result<std::shared_ptr<const Snapshot>> first = Snapshot::make(std::move(first_state));
  if (!first) return first.error();
  now_ = first_ = std::move(*first);

  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  child_signals_.reset(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!child_signals_.valid()) return base::errno_error("cannot watch child processes");
  loop_.watch(child_signals_.get(), POLLIN, [this](short) { on_children(); });

  // Where another cell shares our network, and was first: without it nothing can be asked, and all else works.
  static_cast<void>(asks_.listen(ask_socket(options_.paths.run_folder)));
  control_->listen([this](wire::HostMessage message) { on_message(std::move(message)); }, [this] { loop_.stop(); });
  control_->send(wire::CellHello{std::string(wire::kVersion), read_facts(options_.paths)});
  renew_lease();
  prewarm();
  return {};
}

void Supervisor::renew_lease() {
  loop_.cancel(lease_timer_);
  lease_timer_ = loop_.after(lease_, [this] { loop_.stop(); });
}

void Supervisor::on_message(wire::HostMessage message) {
  renew_lease();
  if (const auto* hello = std::get_if<wire::HostHello>(&message)) {
    // The host has seen our version, and says in its own words what is wrong with it.
    if (hello->version != wire::kVersion) return loop_.stop();
    greeted_ = true;
    lease_ = base::Duration(hello->lease_ms);
    renew_lease();
  } else if (auto* run = std::get_if<wire::Run>(&message)) {
    if (!greeted_) return loop_.stop();
    begin(std::move(*run));
  } else if (const auto* stop = std::get_if<wire::Cancel>(&message)) {
    cancel(*stop);
  } else if (const auto* answer = std::get_if<wire::Answer>(&message)) {
    asks_.answer(*answer);
  }
}

void Supervisor::begin(wire::Run run, Attempt attempt) {
  if (!waiting_.empty() || (limits_.room_for_processes() < kRoomForACall && has_background())) {
    return no_room(std::move(run), EAGAIN);
  }
  if (warm_ && warm_->start == now_ && !warm_->tampered()) {
    Runner runner = std::move(*warm_);
    warm_.reset();
    begin_with(std::move(run), std::move(runner), std::move(attempt));
    // Calls that follow closely find no bash ready, unless the next one starts beside this one. It is wasted when this
    // call changes the state; and a call that comes alone is quicker with the processor for itself.
    if (base::now() - last_done_ < kCloseCalls) prewarm();
    return;
  }
  discard_warm();
  int error_number = 0;
  base::Result<Runner> runner = Runner::start_shell(options_.paths, commons_, now_, &error_number);
  if (!runner) return no_room(std::move(run), error_number);
  begin_with(std::move(run), std::move(*runner), std::move(attempt));
}

void Supervisor::begin_with(wire::Run run, Runner runner, Attempt attempt) {
  const pid_t pid = runner.pid;
  Job::Events events{
      .on_state = [this](const Snapshot& start, const SavedShell& saved) { return on_state(start, saved); },
      .on_done =
          [this, reset = attempt.given_up != nullptr](wire::Done done, const wire::Run& asked, base::Instant latest) {
            done.state_reset = reset;
            on_done(std::move(done), asked, latest);
          },
      .on_progress = [this](wire::Progress progress) { control_->send(std::move(progress)); },
      .on_no_shell = [this](Job& job, int error_number) { no_room(job.take_run(), error_number); },
      .on_untouched = [this, attempt = std::move(attempt)](
                          Job& job, int wait_status) { return begin_again(job, attempt, wait_status); }};
  jobs_[pid] = std::make_unique<Job>(shared_, std::move(run), std::move(runner), std::move(events));
}

// A job of an earlier call may have killed the bash that waited, or the kernel did for want of memory. Or the state
// cannot be restored: then, or when two calls in a row could not start, it is given up if bash comes up without it.
bool Supervisor::begin_again(Job& job, Attempt attempt, int wait_status) {
  const int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (attempt.number == kStarts && now_ != first_ && (signal == SIGUSR1 || refused_ == now_)) {
    attempt.given_up = std::exchange(now_, first_);
  } else if (attempt.number >= kStarts) {
    if (attempt.given_up != nullptr && now_ == first_) now_ = attempt.given_up;
    if (signal == 0) return false;  // its output says what is wrong with it
    refused_ = now_;
    refuse(job.id(), "bash was killed by signal " + std::to_string(signal) + " before it came to the script, each of " +
                         std::to_string(attempt.number) + " times: is there memory left (files in /tmp count)?");
    return true;
  }
  ++attempt.number;
  begin(job.take_run(), std::move(attempt));
  return true;
}

// The process limit is reached (or starting failed otherwise). Background jobs are the only thing that may be ended to
// make room; without any, the call is refused.
void Supervisor::no_room(wire::Run run, int error_number) {
  if (error_number != EAGAIN || !has_background()) {
    std::string why = base::errno_error("cannot start bash", error_number).message;
    if (error_number == EAGAIN)
      why += " (the process limit is used up by calls that still run: wait for one, or cancel it)";
    return refuse(run.id, std::move(why));
  }
  waiting_.push_back(std::move(run));
  kill_background();
}

bool Supervisor::has_background() const {
  for (const auto& [pid, job] : jobs_) {
    if (job->in_background()) return true;
  }
  return false;
}

void Supervisor::kill_background() {
  for (const auto& [pid, job] : jobs_) {
    if (job->in_background()) background_killed_ += job->kill_background();
  }
}

void Supervisor::retry_waiting() {
  if (waiting_.empty() || has_background()) return;
  std::deque<wire::Run> waiting = std::exchange(waiting_, {});
  for (wire::Run& run : waiting) begin(std::move(run));
}

void Supervisor::refuse(uint64_t id, std::string problem) {
  wire::Done done;
  done.id = id;
  done.outcome = wire::Outcome::kNotStarted;
  done.problem = std::move(problem);
  control_->send(std::move(done));
}

void Supervisor::cancel(const wire::Cancel& cancel) {
  const uint64_t id = cancel.id;
  const wire::Outcome outcome = cancel.late ? wire::Outcome::kTimedOut : wire::Outcome::kCancelled;
  for (auto run = waiting_.begin(); run != waiting_.end(); ++run) {
    if (run->id != id) continue;
    wire::Done done;
    done.id = id;
    done.outcome = outcome;
    waiting_.erase(run);
    return control_->send(std::move(done));
  }
  for (const auto& [pid, job] : jobs_) {
    if (job->id() == id) job->terminate(outcome);
  }
  for (const auto& [pid, filter] : filters_) {
    if (filter->id() == id) filter->give_up(!cancel.late);
  }
}

void Supervisor::on_ask(wire::Ask ask, pid_t from) {
  if (ask.verb == kResetVerb) return reset_state(ask.id);
  if (Job* job = job_of(from); job != nullptr && !job->done()) {
    ask.call = job->id();
    held_[ask.id] = job->runner_pid();
    job->hold();
  }
  control_->send(std::move(ask));
}

void Supervisor::on_ask_over(uint64_t id) {
  const auto held = held_.find(id);
  if (held == held_.end()) return;
  const auto job = jobs_.find(held->second);
  held_.erase(held);
  if (job != jobs_.end()) job->second->release();
}

// The calls that run began with what is dropped here, so nothing of what they leave is kept.
void Supervisor::reset_state(uint64_t ask) {
  for (const auto& [pid, job] : jobs_) job->drop_state();
  now_ = first_;
  asks_.answer({.id = ask, .good = true});
}

// The one whose runner is above the process.
Job* Supervisor::job_of(pid_t process) {
  for (pid_t pid = process; pid > 1; pid = parent(pid)) {
    if (const auto found = jobs_.find(pid); found != jobs_.end()) return found->second.get();
  }
  return nullptr;
}

bool Supervisor::on_state(const Snapshot& start, const SavedShell& saved) {
  ShellState next = merged(start.state, saved.state, now_->state);
  if (next == now_->state) return true;
  if (restored_size(next) > kMaxStateBytes) return false;
  base::Result<std::shared_ptr<const Snapshot>> snapshot = Snapshot::make(std::move(next));
  if (!snapshot) return false;
  now_ = std::move(*snapshot);
  return true;
}

void Supervisor::on_done(wire::Done done, const wire::Run& run, base::Instant latest) {
  if (!wants_filter(done, run) || !start_stage(done, run, latest)) send_done(std::move(done));
}

// False: there is no room, or no time, and the reply stays as it is.
bool Supervisor::start_stage(wire::Done& done, const wire::Run& run, base::Instant latest) {
  const base::Duration limit = std::min(kFilterLimit, base::until(latest));
  if (limit <= base::Duration::zero() || limits_.room_for_processes() < kRoomForAFilter) return false;
  const base::Result<base::UniqueFd> spill = spills_.open_kept(run.id);
  if (!spill) return false;
  base::Result<Runner> runner = start_filter(options_.paths, *spill, run.filter);
  if (!runner) return false;
  const pid_t pid = runner->pid;
  filters_[pid] = std::make_unique<FilterStage>(loop_, std::move(*runner), std::move(done), run, limit,
                                                [this](wire::Done better) { send_done(std::move(better)); });
  return true;
}

void Supervisor::send_done(wire::Done done) {
  done.killed_background = std::exchange(background_killed_, 0);
  control_->send(std::move(done));
  last_done_ = base::now();
  prewarm();
}

void Supervisor::prewarm() {
  if (warm_ && warm_->start == now_) return;
  discard_warm();
  if (!waiting_.empty() || limits_.room_for_processes() < kRoomForAWarmOne) return;
  // Not before the first reply: it would only delay that.
  if (last_done_ != base::Instant()) commons_.fork_server.start(options_.paths.bash, options_.paths.run_folder);
  int error_number = 0;
  base::Result<Runner> runner = Runner::start_shell(options_.paths, commons_, now_, &error_number);
  if (runner) warm_ = std::move(*runner);  // else the next call starts cold
}

void Supervisor::discard_warm() {
  if (!warm_) return;
  discarded_.add(std::move(*warm_));
  warm_.reset();
}

void Supervisor::on_children() {
  std::array<char, 16 * sizeof(signalfd_siginfo)> ignored;  // NOLINT: filled by read()
  while (::read(child_signals_.get(), ignored.data(), ignored.size()) > 0) {
  }
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) break;
    bury(pid, WIFSIGNALED(status));
  }
  retry_waiting();
}

void Supervisor::bury(pid_t pid, bool by_signal) {
  if (warm_ && warm_->pid == pid) {
    warm_.reset();  // a script killed it; the next call starts cold
  } else if (discarded_.buried(pid)) {
    return;
  } else if (commons_.fork_server.buried(pid)) {
    // As it was being killed it may have forked a runner that nobody knows of.
  } else if (const auto filter = filters_.find(pid); filter != filters_.end()) {
    filter->second->runner_gone();
    filters_.erase(pid);
  } else if (const auto found = jobs_.find(pid); found != jobs_.end()) {
    found->second->runner_gone(by_signal);  // done by now, if it was not before
    jobs_.erase(pid);
  }
  if (by_signal) kill_orphans();
}

// A runner that was killed leaves its processes to us. The call is over, so they are ended at once.
void Supervisor::kill_orphans() {
  bool found = false;
  for (const pid_t pid : children(::getpid())) {
    if (jobs_.contains(pid) || filters_.contains(pid) || discarded_.contains(pid)) continue;
    if ((warm_ && warm_->pid == pid) || commons_.fork_server.pid() == pid) continue;
    ::kill(pid, SIGSTOP);
    kill_tree(pid);
    ::kill(pid, SIGKILL);
    found = true;
  }
  loop_.cancel(orphan_timer_);
  if (found) orphan_timer_ = loop_.after(kKillRound, [this] { kill_orphans(); });
}

void Supervisor::end() {
  if (::getpid() == 1) return;  // the kernel kills all of a PID namespace with its PID 1
  kill_children(kKillLimit);
}

}  // namespace bashcell::supervisor
