#pragma once
// One live cell for one conversation: started when first needed, shared by calls side by side, replaced when it dies.
//
// On the event loop's thread; nothing here blocks. Engine::start runs on a thread of its own. A script is sent to a
// cell at most once: if the cell dies under it, that is its result.

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/budget.h"
#include "base/event_loop.h"
#include "base/log.h"
#include "engine/engine.h"
#include "sandbox/limit_check.h"
#include "sandbox/session_clock.h"
#include "sandbox/supervisor_client.h"

namespace bashcell::sandbox {

struct CallRequest {
  std::string script;
  base::Duration timeout{30'000};
  base::Budget budget;      // of the whole reply
  std::string filter_name;  // wire::Run's
  std::string filter;
  // When `progress` is not zero: told so often, while it runs, what its last line of output is, if that has changed.
  // Untrusted.
  base::Duration progress{0};
  std::function<void(std::string last_line)> on_progress;
};

// It was sent to a cell, and the cell ended under it: it may have run, in part or whole.
struct CellLost {
  std::string why;
};

// It never ran: no cell could be started, and why.
struct NotRun {
  std::string why;
};

struct CallReport {
  std::variant<wire::Done, CellLost, NotRun> result;
  std::string cell;                       // that it was sent to; empty: none
  bool session_over = false;              // it was ended since its session had no running time left
  bool new_cell = false;                  // the first call of a cell that replaces one whose state is lost
  CellEnd former_end{};                   // then: why that one ended
  std::vector<std::string> not_enforced;  // limits that this cell runs without; told once
  std::string network;                    // the cell has this one; told by the first call in it
  std::vector<std::string> unprotected;   // CellSpec::protection's; told by the first call in the cell
  std::vector<std::string> trusted;       // what is new in the workspace, and programs outside trust; told once
};

// Judges a fresh cell by what its supervisor read inside, before anything runs in it (limit_check.h).
using LimitJudge = std::function<LimitCheck(const engine::CellSpec&, const wire::CellFacts&)>;

// What the next cell is to be, or why there can be none. Called on the starting thread, anew for each cell, so that
// what was missing can be supplied without a restart.
using SpecMaker = std::function<base::Result<engine::CellSpec>()>;

// What a script wants of the host (wire::Ask), untrusted. `call`: the one whose process asks, 0 for none that still
// runs.
struct Question {
  uint64_t call = 0;
  std::string verb;
  std::vector<std::string> arguments;
  std::string body;
};
// Answers it, from the loop's thread, at once or later; once. After the cell or the sandbox has ended it does nothing.
using Respond = std::function<void(bool good, std::string text)>;

struct SandboxOptions {
  size_t parallel = 4;
  SessionLimits session;  // of each cell: at its end the cell ends, too, and the next call gets another
  LimitJudge judge = check_limits;
  // A start takes a tenth of a second; fifty at once on two processors take many.
  base::Duration hello_timeout{30'000};
  base::Log log = base::Log{};
};

class Sandbox {
 public:
  using CallId = uint64_t;
  using OnFinished = std::function<void(CallReport)>;

  // `engine` must outlive this, and with it a start that is under way (see starting()).
  Sandbox(base::EventLoop& loop, engine::Engine& engine, SpecMaker make_spec, SandboxOptions options);
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  // Ends the cell by closing its stream. Calls that are open are dropped without a report. Waits for a start under way.
  ~Sandbox();

  // Runs it when a cell is up and fewer than `parallel` calls run; its time starts then. `on_finished` is called once,
  // never from inside run().
  CallId run(CallRequest request, OnFinished on_finished);
  // Ends the call's processes; its report (outcome cancelled) still comes. Unknown ids are ignored.
  void cancel(CallId id);
  // Who answers the questions of scripts; without, all are refused. A call's time stands still as long as one of its
  // questions is open; one that is open for three minutes is refused.
  void on_question(std::function<void(Question, Respond)> answer) { answer_ = std::move(answer); }
  // Starts the cell without a call. A failure is only logged: the first call tries again and reports it.
  void warm();

  // A start is under way on the other thread.
  bool starting() const { return starter_.joinable(); }
  // At the end, when the loop runs no more: waits until such a start is over, for at most `limit`; its cell ends at
  // once. False: it still goes on, and this object cannot be destroyed yet.
  bool wait_for_start(base::Duration limit);
  // What the cell in use read about itself; nothing when none is up.
  const wire::CellFacts* facts() const { return facts_ ? &*facts_ : nullptr; }
  // The name of that cell; empty when none is up.
  std::string cell_name() const { return cell_ ? cell_->id() : std::string(); }
  // Of the last cell; the defaults before there was one.
  const engine::CellSpec& spec() const { return spec_; }
  const SessionLimits& session_limits() const { return session_.limits(); }

 private:
  // After the supervisor's own deadline: its grace of 1 s, and 2 s for a reply. Then the cell is wedged.
  static constexpr base::Duration kOuterMargin{3'000};

  struct Call {
    CallRequest request;
    OnFinished on_finished;
    base::EventLoop::TimerId outer_deadline = 0;
    base::Instant latest;          // what that timer waits for
    std::string cell;              // that it was sent to
    std::set<uint64_t> questions;  // that are open
    base::Instant held_since;      // while there are any
    bool session_over = false;
    bool tells_new_cell = false;
    CellEnd former_end{};
    bool tells_limits = false;
    bool tells_network = false;
    bool tells_unprotected = false;
  };

  void start_cell();
  struct Started {
    engine::CellSpec spec;
    base::Result<std::unique_ptr<engine::Cell>> cell;
  };
  void on_started(Started started);
  void on_hello(const wire::CellHello& hello);
  void on_done(wire::Done done);
  void on_ask(wire::Ask ask);
  void on_progress(wire::Progress progress);
  void respond(uint64_t ask, CallId call, bool good, std::string text);
  void hold(CallId id, Call& call, uint64_t ask);
  void refuse_questions(CallId id);
  void release(Call& call, uint64_t ask);
  void on_cell_end(const std::string& why);
  void on_wedged();
  void on_session_limit(CellEnd end);
  void end_session();
  void keep_session_time();
  void give_up_cell(std::string why);
  void refuse_cell(std::string why);
  void leave_cell();
  void drop_cell();
  void dispatch();
  void send_waiting();
  void send(CallId id, Call call);
  void report(Call call, std::variant<wire::Done, CellLost, NotRun> result);

  base::EventLoop& loop_;
  engine::Engine& engine_;
  SpecMaker make_spec_;
  SandboxOptions options_;
  engine::CellSpec spec_;
  std::thread starter_;
  std::future<void> start_ended_;  // valid while starter_ runs
  std::unique_ptr<engine::Cell> cell_;
  std::unique_ptr<SupervisorClient> client_;  // over cell_'s stream, so destroyed before it
  std::optional<wire::CellFacts> facts_;      // set: the cell is up
  base::EventLoop::TimerId hello_timer_ = 0;
  std::function<void(Question, Respond)> answer_;
  std::set<uint64_t> asked_;                               // by the cell in use, and not answered
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // of this cell: what answers may come too late for
  std::deque<std::pair<CallId, Call>> queue_;
  std::map<CallId, Call> running_;
  CallId last_id_ = 0;
  SessionClock session_;
  std::optional<CellEnd> ending_;  // a limit of the session is reached: nothing more is sent to the cell in use
  base::EventLoop::TimerId ending_timer_ = 0;
  bool state_was_lost_ = false;  // a cell that had run something has ended: the next one is new to the model
  CellEnd lost_by_{};            // then: how it ended
  bool cell_was_used_ = false;
  std::vector<std::string> not_enforced_;
  bool limits_told_ = false;
  bool network_told_ = false;  // of this cell
  bool unprotected_told_ = false;
};

}  // namespace bashcell::sandbox
