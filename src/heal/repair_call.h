#pragma once
// One call of the sandbox whose script failed before it did anything: repairs it, in the call's own cell. The Repairer
// decides; this runs what it wants to have checked and run, and keeps the report that counts.
//
// On the event loop's thread; nothing blocks.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "heal/repairer.h"
#include "sandbox/sandbox.h"

namespace bashcell::heal {

// What it needs of the sandbox: as Sandbox::run and Sandbox::cancel.
struct RepairCell {
  std::function<uint64_t(sandbox::CallRequest, std::function<void(sandbox::CallReport)>)> run;
  std::function<void(uint64_t id)> cancel;
};

struct RepairedCall {
  sandbox::CallReport report;  // of the call: of what ran instead, or the first one as it was
  std::string script;          // that it is the report of
  std::string clause;          // for the status line: what ran instead, or why the repair did not help
};

class RepairCall {
 public:
  using MakeRequest = std::function<sandbox::CallRequest(const std::string& script)>;

  // `loop` and `model` must outlive this. `make_request`: for a script; its timeout is replaced by what is left.
  RepairCall(base::EventLoop& loop, Model& model, RepairCell cell, MakeRequest make_request);
  RepairCall(const RepairCall&) = delete;
  RepairCall& operator=(const RepairCall&) = delete;
  // Gives up: what still runs in the cell is cancelled, and nothing is told.
  ~RepairCall();

  // Whether start() may be called.
  static bool may_start(const std::string& script, const sandbox::CallReport& report);
  // Once. `hint`: what is known of the machine, may be empty. `deadline`: of the whole call. `on_end` is called once,
  // never from inside start(), and may destroy this.
  void start(const std::string& script, sandbox::CallReport report, std::string hint, base::Instant deadline,
             std::function<void(RepairedCall)> on_end);

 private:
  void check(const std::string& script, std::function<void(bool, std::string)> done);
  void run(const std::string& script, std::function<void(std::optional<FailedRun>)> done);
  void run_in_cell(sandbox::CallRequest request, std::function<void(sandbox::CallReport)> done);
  void end(const Repaired& repaired);

  RepairCell cell_;
  MakeRequest make_request_;
  base::Instant deadline_;
  std::function<void(RepairedCall)> on_end_;
  RepairedCall result_;
  std::optional<sandbox::CallReport> last_report_;
  std::optional<uint64_t> running_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  Repairer repairer_;
};

}  // namespace bashcell::heal
