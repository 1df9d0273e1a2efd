#pragma once
// PID 1 of a cell: takes scripts from the host over the control stream, runs each as a Job, and ends with the stream.
//
// It also runs as a plain child outside of a container (for tests): then it is a child subreaper, and kills what it
// started before it ends; as PID 1 the kernel does that.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "supervisor/asks.h"
#include "supervisor/control.h"
#include "supervisor/discarded.h"
#include "supervisor/filter_stage.h"
#include "supervisor/job.h"
#include "supervisor/runner.h"

namespace bashcell::supervisor {

struct SupervisorOptions {
  ShellPaths paths;
  std::string spill_parent = "/tmp";  // spills go to .cell/out in it
};

// Which start of a bash for the same call it is.
struct Attempt {
  int number = 1;
  std::shared_ptr<const Snapshot> given_up;  // the state that none of the starts before could restore
};

class Supervisor {
 public:
  Supervisor(base::EventLoop& loop, std::unique_ptr<Control> control, SupervisorOptions options);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor();

  // Sends the Hello and starts the first bash. Scripts inherit nothing but what is in this first state.
  base::Result<void> start(ShellState first_state);

  // After the loop has stopped: outside of a container, kills what is left.
  void end();

 private:
  using Jobs = std::map<pid_t, std::unique_ptr<Job>>;  // by the runner's pid

  void on_message(wire::HostMessage message);
  void on_children();
  void renew_lease();

  void begin(wire::Run run, Attempt attempt = {});
  void begin_with(wire::Run run, Runner runner, Attempt attempt);
  bool begin_again(Job& job, Attempt attempt, int wait_status);
  void no_room(wire::Run run, int error_number);
  void on_done(wire::Done done, const wire::Run& run, base::Instant latest);
  bool start_stage(wire::Done& done, const wire::Run& run, base::Instant latest);
  void send_done(wire::Done done);
  bool on_state(const Snapshot& start, const SavedShell& saved);
  void refuse(uint64_t id, std::string problem);
  void cancel(const wire::Cancel& cancel);

  void on_ask(wire::Ask ask, pid_t from);
  void on_ask_over(uint64_t id);
  void reset_state(uint64_t ask);
  Job* job_of(pid_t process);

  void prewarm();
  void discard_warm();
  void kill_background();
  bool has_background() const;
  void retry_waiting();
  void kill_orphans();
  void bury(pid_t pid, bool by_signal);

  base::EventLoop& loop_;
  std::unique_ptr<Control> control_;
  SupervisorOptions options_;
  SpillStore spills_;
  LimitWatch limits_;
  Discarded discarded_;
  Job::Shared shared_;
  ShellCommons commons_;
  base::UniqueFd child_signals_;
  Asks asks_;
  std::map<uint64_t, pid_t> held_;           // the runner whose call waits for the answer to this question
  std::shared_ptr<const Snapshot> first_;    // the state that the cell began with
  std::shared_ptr<const Snapshot> now_;      // the last committed one
  std::shared_ptr<const Snapshot> refused_;  // the last one with which no bash came to a call's script
  base::Instant last_done_;
  std::optional<Runner> warm_;  // restored `now_` and waits; thrown away when another call commits first
  Jobs jobs_;
  std::map<pid_t, std::unique_ptr<FilterStage>> filters_;  // by their runner's pid, until that is reaped
  std::deque<wire::Run> waiting_;                          // for room, while background jobs are being killed
  int64_t background_killed_ = 0;                          // for the next reply
  bool greeted_ = false;
  base::Duration lease_{15'000};
  base::EventLoop::TimerId lease_timer_ = 0;
  base::EventLoop::TimerId orphan_timer_ = 0;
};

}  // namespace bashcell::supervisor
