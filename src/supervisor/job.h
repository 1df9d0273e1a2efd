#pragma once
// One call: a runner that was let go, its output, its deadline, and how it is brought to its end.
//
// Lives on PID 1's event loop. Nothing here waits: what a script can stop, it can stop only for itself. After the call
// is done the job stays as long as its runner (background jobs), and what they print is read and dropped.

#include <cstdint>
#include <functional>
#include <string>

#include "base/budget.h"
#include "base/event_loop.h"
#include "supervisor/cell_limits.h"
#include "supervisor/last_line.h"
#include "supervisor/output/capture.h"
#include "supervisor/read_pace.h"
#include "supervisor/runner.h"
#include "wire/messages.h"

namespace bashcell::supervisor {

inline constexpr base::Duration kGrace{1000};        // between SIGTERM and SIGKILL
inline constexpr base::Duration kDrainLimit{200};    // after bash's end, for a `> >(tee)` that still writes
inline constexpr base::Duration kDrainQuiet{30};     // silence that ends the drain earlier
inline constexpr size_t kDrainBytes = 128 * 1024;    // as much as two pipes hold; more is a flood, and ends the drain
inline constexpr base::Duration kReplyMargin{1000};  // past deadline and grace; the host waits a second longer
inline constexpr base::Duration kKillLimit{2000};  // then the reply goes out although something will not die (D state)
inline constexpr base::Budget kStatusLine{.chars = 240, .tokens = 100};  // what one may cost

// How a call's budget is counted, and how much of it is the output's and the status line's.
base::Meter meter_of(const wire::Run& run);
size_t budget_of(const wire::Run& run, const base::Meter& meter);

class Job {
 public:
  // What PID 1 lends to every job; outlives them.
  struct Shared {
    base::EventLoop& loop;
    SpillStore& spills;
    LimitWatch& limits;
    std::string workspace;
    std::string run_folder;
  };
  struct Events {
    // The script has ended and left its state. False: it cannot be kept.
    std::function<bool(const Snapshot& start, const SavedShell& saved)> on_state;
    // The reply is due. Called once; the job may still have background processes. `run`: what it was asked, without
    // the script. `latest`: when the host must have the reply.
    std::function<void(wire::Done, const wire::Run& run, base::Instant latest)> on_done;
    // For a run that wants it.
    std::function<void(wire::Progress)> on_progress;
    // bash could not be started (EAGAIN: the process limit). Instead of on_done.
    std::function<void(Job&, int error_number)> on_no_shell;
    // bash ended before it came to the script. Instead of on_done; false: this is how the call ends.
    std::function<bool(Job&, int wait_status)> on_untouched;
  };

  // `run.script` is handed to `runner`, and the clock starts.
  Job(Shared& shared, wire::Run run, Runner runner, Events events);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  uint64_t id() const { return run_.id; }
  pid_t runner_pid() const { return runner_.pid; }
  bool done() const { return phase_ == Phase::kDone; }
  // Done, and what is left of it are background jobs.
  bool in_background() const { return done() && !never_ran_; }
  wire::Run take_run() { return std::move(run_); }

  // While it holds, the call's time stands still: something is done for it elsewhere. Counted; ignored when it does not
  // run any more.
  void hold();
  void release();

  // What the script leaves of its shell is not kept.
  void drop_state() { drops_state_ = true; }
  // Ends the whole tree: SIGTERM, kGrace, SIGKILL. Output from now on is dropped. The first reason wins.
  void terminate(wire::Outcome reason);
  // After done: kills what is left in the background, without grace; ends with runner_gone(). Returns how many there
  // were, 0 when they are being killed already.
  int kill_background();
  // PID 1 reaped the runner.
  void runner_gone(bool by_signal);

 private:
  enum class Phase { kRunning, kDraining, kTerminating, kKilling, kDone };

  void on_output();
  void pause_output(base::Duration pause);
  void resume_output();
  void on_saved();
  void on_reports();
  void on_shell_ended(int wait_status);
  void tell_progress(base::Duration wait);
  void kill_round();
  void finish();
  wire::Done result();
  void commit_state(wire::Done& done);
  void take_output(wire::Done& done);
  void arm(base::Duration wait, void (Job::*action)());
  void on_deadline() { terminate(wire::Outcome::kTimedOut); }

  Shared& shared_;
  wire::Run run_;
  Runner runner_;
  Events events_;
  base::Meter meter_;
  Capture capture_;
  LimitEvents limits_at_start_;
  base::Instant started_;
  base::Instant deadline_;
  base::Instant held_since_;
  int holds_ = 0;
  bool was_held_ = false;
  base::Instant ended_;
  base::Instant phase_started_;
  Phase phase_ = Phase::kRunning;
  base::EventLoop::TimerId timer_ = 0;
  base::EventLoop::TimerId saved_timer_ = 0;
  base::EventLoop::TimerId output_timer_ = 0;
  base::EventLoop::TimerId progress_timer_ = 0;
  LastLine last_line_;
  std::string told_line_;
  ReadPace output_pace_;
  bool output_widened_ = false;
  wire::Outcome outcome_ = wire::Outcome::kLost;
  bool shell_ended_ = false;
  bool never_ran_ = false;
  bool runner_is_gone_ = false;
  int code_ = 0;
  int killed_ = 0;
  size_t drain_left_ = 0;  // bytes that are still heard while draining
  std::string problem_;
  std::string saved_;
  bool saved_too_much_ = false;
  bool drops_state_ = false;
  bool killing_background_ = false;
};

}  // namespace bashcell::supervisor
