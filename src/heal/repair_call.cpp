#include "heal/repair_call.h"

#include <algorithm>
#include <utility>

#include "heal/repair_run.h"
#include "http/shown.h"

namespace bashcell::heal {

RepairCall::RepairCall(base::EventLoop& loop, Model& model, RepairCell cell, MakeRequest make_request)
    : cell_(std::move(cell)),
      make_request_(std::move(make_request)),
      repairer_(loop, model,
                {.check = [this](const std::string& script,
                                 std::function<void(bool, std::string)> done) { check(script, std::move(done)); },
                 .run = [this](const std::string& script,
                               std::function<void(std::optional<FailedRun>)> done) { run(script, std::move(done)); }}) {
}

RepairCall::~RepairCall() {
  if (running_) cell_.cancel(*running_);
}

bool RepairCall::may_start(const std::string& script, const sandbox::CallReport& report) {
  const std::optional<FailedRun> failed = failed_run(script, report);
  return failed && repairable(*failed);
}

void RepairCall::start(const std::string& script, sandbox::CallReport report, std::string hint, base::Instant deadline,
                       std::function<void(RepairedCall)> on_end) {
  deadline_ = deadline;
  on_end_ = std::move(on_end);
  FailedRun failed = failed_run(script, report).value_or(FailedRun{.script = script});
  result_ = {.report = std::move(report), .script = script};
  repairer_.start(std::move(failed), std::move(hint), deadline, [this](const Repaired& repaired) { end(repaired); });
}

void RepairCall::run_in_cell(sandbox::CallRequest request, std::function<void(sandbox::CallReport)> done) {
  // It is given the call's rest: a second that is not there makes it fail, not the call last.
  request.timeout = std::max(base::until(deadline_), base::Duration(1));
  running_ = cell_.run(std::move(request),
                       [this, alive = std::weak_ptr<int>(alive_), done = std::move(done)](sandbox::CallReport report) {
                         if (alive.expired()) return;
                         running_.reset();
                         done(std::move(report));
                       });
}

void RepairCall::check(const std::string& script, std::function<void(bool, std::string)> done) {
  sandbox::CallRequest request = make_request_(reading_script(script));
  request.filter_name.clear();
  request.filter.clear();
  run_in_cell(std::move(request), [done = std::move(done)](const sandbox::CallReport& report) {
    auto [ok, why] = reading_result(report);
    done(ok, std::move(why));
  });
}

void RepairCall::run(const std::string& script, std::function<void(std::optional<FailedRun>)> done) {
  run_in_cell(make_request_(script), [this, script, done = std::move(done)](sandbox::CallReport report) {
    std::optional<FailedRun> failed = failed_run(script, report);
    last_report_ = std::move(report);
    done(std::move(failed));
  });
}

void RepairCall::end(const Repaired& repaired) {
  constexpr size_t kMaxShown = 200;
  if (running_) cell_.cancel(*std::exchange(running_, std::nullopt));  // a check that took too long
  RepairedCall result = std::move(result_);
  if (!repaired.script.empty() && last_report_) {
    // What the first report tells once is told by this one.
    sandbox::CallReport& report = *last_report_;
    if (!report.new_cell) report.former_end = result.report.former_end;
    report.new_cell = report.new_cell || result.report.new_cell;
    if (report.not_enforced.empty()) report.not_enforced = std::move(result.report.not_enforced);
    if (report.network.empty()) report.network = std::move(result.report.network);
    result.report = std::move(report);
    result.script = repaired.script;
    result.clause = "the script failed before it did anything; ran instead: " + http::shown(repaired.script, kMaxShown);
  } else {
    result.clause = "not repaired: " + repaired.why_not;
  }
  const std::function<void(RepairedCall)> on_end = std::exchange(on_end_, nullptr);
  on_end(std::move(result));  // last: it may destroy this
}

}  // namespace bashcell::heal
