#include "sandbox/sandbox.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "wire/version.h"

namespace bashcell::sandbox {

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

constexpr base::Budget kNewCellClause{.chars = 140, .tokens = 40};
constexpr base::Budget kLimitClause{.chars = 200, .tokens = 80};
constexpr base::Budget kNetworkClause{.chars = 160, .tokens = 70};
constexpr base::Budget kUnprotectedClause{.chars = 180, .tokens = 90};

}  // namespace

Sandbox::Sandbox(base::EventLoop& loop, engine::Engine& engine, SpecMaker make_spec, SandboxOptions options)
    : loop_(loop),
      engine_(engine),
      make_spec_(std::move(make_spec)),
      options_(std::move(options)),
      session_(loop_, options_.session, [this](CellEnd end) { on_session_limit(end); }) {}

Sandbox::~Sandbox() {
  if (starter_.joinable()) starter_.join();
  loop_.cancel(hello_timer_);
  loop_.cancel(ending_timer_);
  for (auto& [id, call] : running_) loop_.cancel(call.outer_deadline);
  alive_.reset();
  client_.reset();
}

Sandbox::CallId Sandbox::run(CallRequest request, OnFinished on_finished) {
  const CallId id = ++last_id_;
  queue_.emplace_back(id, Call{std::move(request), std::move(on_finished)});
  dispatch();
  return id;
}

void Sandbox::cancel(CallId id) {
  const auto queued = std::find_if(queue_.begin(), queue_.end(), [&](const auto& entry) { return entry.first == id; });
  if (queued != queue_.end()) {
    Call call = std::move(queued->second);
    queue_.erase(queued);
    keep_session_time();
    wire::Done done;
    done.outcome = wire::Outcome::kCancelled;
    return report(std::move(call), std::move(done));
  }
  if (running_.contains(id) && client_) client_->send(wire::Cancel{id});
}

void Sandbox::warm() {
  if (!cell_ && !starting()) start_cell();
}

// The engine may block for as long as starting a container takes; the loop goes on answering meanwhile.
void Sandbox::start_cell() {
  std::promise<void> ended;
  start_ended_ = ended.get_future();
  starter_ = std::thread([this, ended = std::move(ended)]() mutable {
    base::Result<engine::CellSpec> spec = make_spec_();
    auto started = std::make_shared<Started>(
        Started{spec ? *spec : engine::CellSpec{},
                spec ? engine_.start(*spec) : base::Result<std::unique_ptr<engine::Cell>>(spec.error())});
    loop_.post([this, started] { on_started(std::move(*started)); });
    started.reset();
    ended.set_value();
  });
}

bool Sandbox::wait_for_start(base::Duration limit) {
  if (!starting()) return true;
  if (start_ended_.wait_for(limit) != std::future_status::ready) return false;
  starter_.join();
  return true;
}

void Sandbox::on_started(Started started) {
  starter_.join();
  if (!started.cell) return refuse_cell(started.cell.error().message);
  spec_ = std::move(started.spec);
  cell_ = std::move(*started.cell);
  options_.log.info("cell " + cell_->id() + " started");
  client_ = std::make_unique<SupervisorClient>(
      loop_, cell_->stream(),
      SupervisorEvents{.on_hello = [this](const wire::CellHello& hello) { on_hello(hello); },
                       .on_done = [this](wire::Done done) { on_done(std::move(done)); },
                       .on_ask = [this](wire::Ask ask) { on_ask(std::move(ask)); },
                       .on_progress = [this](wire::Progress progress) { on_progress(std::move(progress)); },
                       .on_end = [this](const std::string& why) { on_cell_end(why); }});
  hello_timer_ = loop_.after(options_.hello_timeout, [this] {
    cell_->kill();
    give_up_cell("the cell was started, but its supervisor did not answer within " +
                 base::seconds_text(options_.hello_timeout));
  });
}

void Sandbox::on_hello(const wire::CellHello& hello) {
  loop_.cancel(hello_timer_);
  // Not now: the client is calling.
  const auto refuse = [this](std::string why) {
    hello_timer_ = loop_.after(base::Duration::zero(), [this, why = std::move(why)] { refuse_cell(why); });
  };
  const auto give_up = [this](std::string why) {
    hello_timer_ = loop_.after(base::Duration::zero(), [this, why = std::move(why)] { give_up_cell(why); });
  };
  if (hello.version != wire::kVersion) {
    return refuse(spec_.supervisor + " is version " + hello.version + ", and this bashcell is version " +
                  std::string(wire::kVersion) + ": install both from one build");
  }
  const LimitCheck check = options_.judge(spec_, hello.facts);
  if (!check.acceptable(spec_.limits)) {
    const bool only_soft = check.hard.empty();
    return give_up("the cell is not as limited as promised, so nothing runs in it: " +
                   joined(only_soft ? check.soft : check.hard) +
                   (only_soft
                        ? ". Run as root or on a host with delegated cgroup v2 (bashcell doctor), or accept it with "
                          "--limits best-effort"
                        : ""));
  }
  if (hello.facts.shell.empty()) {
    const engine::RootName root = cell_->root();
    return give_up("there is no /bin/bash in " + root.what + ": install bash there, or choose another " + root.option);
  }
  if (!hello.facts.workspace_writable) {
    return refuse("the workspace " + (spec_.workspace.empty() ? "volume " + spec_.workspace_volume : spec_.workspace) +
                  " cannot be written by the cell's user (uid " + std::to_string(spec_.user.uid) +
                  "): chown it to that uid, choose its owner with --user UID:GID, or "
                  "choose another --workspace");
  }
  facts_ = hello.facts;
  cell_was_used_ = false;
  network_told_ = spec_.network.empty();
  unprotected_told_ = spec_.protection.unprotected.empty();
  not_enforced_ = check.soft;
  for (const std::string& limit : not_enforced_) options_.log.error("not enforced: " + limit);
  dispatch();
}

void Sandbox::dispatch() {
  send_waiting();
  keep_session_time();
}

void Sandbox::send_waiting() {
  if (queue_.empty() || ending_) return;
  if (!cell_) {
    if (!starting()) start_cell();
    return;
  }
  if (!facts_) return;
  // Ended already: the event is on its way, and will start another cell for the queue.
  if (client_->ended()) return;
  while (!queue_.empty() && running_.size() < options_.parallel) {
    auto [id, call] = std::move(queue_.front());
    queue_.pop_front();
    send(id, std::move(call));
    // Back in the queue: the cell has ended. Not asked of the client, which would read, and report from inside run().
    if (!running_.contains(id)) return;
  }
}

void Sandbox::send(CallId id, Call call) {
  call.tells_new_cell = std::exchange(state_was_lost_, false);
  call.former_end = lost_by_;
  call.cell = cell_->id();
  call.tells_network = !std::exchange(network_told_, true);
  call.tells_unprotected = !std::exchange(unprotected_told_, true);
  call.tells_limits = !not_enforced_.empty() && !std::exchange(limits_told_, true);
  wire::Run run;
  run.id = id;
  run.timeout_ms = call.request.timeout.count();
  run.max_chars = static_cast<int64_t>(call.request.budget.chars);
  run.max_tokens = static_cast<int64_t>(call.request.budget.tokens);
  const auto reserve = [&run](bool told, const base::Budget& clause) {
    if (!told) return;
    run.reserve_chars += static_cast<int64_t>(clause.chars);
    run.reserve_tokens += static_cast<int64_t>(clause.tokens);
  };
  reserve(call.tells_new_cell, kNewCellClause);
  reserve(call.tells_limits, kLimitClause);
  reserve(call.tells_network, kNetworkClause);
  reserve(call.tells_unprotected, kUnprotectedClause);
  run.progress_ms = call.request.on_progress ? call.request.progress.count() : 0;
  run.filter_name = call.request.filter_name;
  run.filter = call.request.filter;
  run.script = call.request.script;
  call.latest = base::now() + call.request.timeout + kOuterMargin;
  call.outer_deadline = loop_.after(base::until(call.latest), [this] { on_wedged(); });
  cell_was_used_ = true;
  const auto running = running_.emplace(id, std::move(call)).first;
  if (client_->send(std::move(run))) return;
  // Nothing of it arrived whole, so it has not run: it may wait for the next cell.
  loop_.cancel(running->second.outer_deadline);
  state_was_lost_ = state_was_lost_ || running->second.tells_new_cell;
  queue_.emplace_front(id, std::move(running->second));
  running_.erase(running);
}

void Sandbox::on_done(wire::Done done) {
  const auto found = running_.find(done.id);
  if (found == running_.end()) return;  // late, or invented by the cell
  Call call = std::move(found->second);
  running_.erase(found);
  loop_.cancel(call.outer_deadline);
  call.request.script.clear();
  keep_session_time();
  if (running_.empty() && !ending_ && session_.nearly_used_up()) ending_ = CellEnd::kSessionLimit;
  // Not now: the client is calling.
  if (running_.empty() && ending_) ending_timer_ = loop_.after(base::Duration::zero(), [this] { end_session(); });
  report(std::move(call), std::move(done));
  dispatch();
}

void Sandbox::on_progress(wire::Progress progress) {
  const auto running = running_.find(progress.id);
  if (running == running_.end() || !running->second.request.on_progress) return;
  running->second.request.on_progress(std::move(progress.last_line));
}

void Sandbox::on_ask(wire::Ask ask) {
  const auto running = running_.find(ask.call);
  const CallId call = running == running_.end() ? 0 : ask.call;
  if (!answer_ || ending_ || asked_.size() >= wire::kMostOpenAsks || !asked_.insert(ask.id).second) {
    client_->send(wire::Answer{.id = ask.id, .good = false, .text = "nobody answers that"});
    return;
  }
  if (call != 0) hold(call, running->second, ask.id);
  answer_(
      {.call = call, .verb = std::move(ask.verb), .arguments = std::move(ask.arguments), .body = std::move(ask.body)},
      [this, id = ask.id, call, cell = std::weak_ptr<int>(alive_)](bool good, std::string text) {
        if (!cell.expired()) respond(id, call, good, std::move(text));
      });
}

void Sandbox::respond(uint64_t ask, CallId call, bool good, std::string text) {
  if (asked_.erase(ask) == 0) return;
  if (const auto running = running_.find(call); running != running_.end()) release(running->second, ask);
  text = base::utf8_prefix(text, wire::kMaxAnswerText);
  client_->send(wire::Answer{.id = ask, .good = good, .text = std::move(text)});
}

void Sandbox::report(Call call, std::variant<wire::Done, CellLost, NotRun> result) {
  CallReport finished;
  finished.result = std::move(result);
  finished.cell = std::move(call.cell);
  finished.session_over = call.session_over;
  finished.new_cell = call.tells_new_cell;
  finished.former_end = call.former_end;
  if (call.tells_limits) finished.not_enforced = not_enforced_;
  if (call.tells_network) finished.network = spec_.network;
  if (call.tells_unprotected) finished.unprotected = spec_.protection.unprotected;
  if (std::holds_alternative<wire::Done>(finished.result)) {
    finished.trusted = engine::newly_trusted(spec_.workspace, spec_.protection);
    for (const std::string& name : finished.trusted) {
      options_.log.error("new in the workspace, and trusted by programs outside: " + name);
    }
  }
  call.on_finished(std::move(finished));
}

void Sandbox::on_wedged() {
  options_.log.error("cell " + cell_->id() + " did not answer in time and is killed");
  cell_->kill();
  on_cell_end("it did not answer, " + base::seconds_text(kOuterMargin) +
              " after the script's time was over, and was ended");
}

void Sandbox::on_cell_end(const std::string& why) {
  if (!facts_) {
    const std::string said = cell_->diagnostics();
    return give_up_cell("the cell could not be started: " + (said.empty() ? why + " before it was ready" : said));
  }
  options_.log.info("cell " + cell_->id() + " has ended: " + why);
  leave_cell();
  std::map<CallId, Call> lost = std::exchange(running_, {});
  for (auto& [id, call] : lost) {
    loop_.cancel(call.outer_deadline);
    report(std::move(call), CellLost{why});
  }
  dispatch();
}

// It is the cell that is of no use: another engine's may serve.
void Sandbox::give_up_cell(std::string why) {
  if (!engine_.refused(why)) return refuse_cell(std::move(why));
  options_.log.info("another engine is tried: " + why);
  drop_cell();
  start_cell();
}

// No cell came up: everything that waits for one is told why, and the next call tries again.
void Sandbox::refuse_cell(std::string why) {
  options_.log.error(why);
  drop_cell();
  auto waiting = std::exchange(queue_, {});
  for (auto& [id, call] : waiting) report(std::move(call), NotRun{why});
}

// One that was in use.
void Sandbox::leave_cell() {
  if (cell_was_used_) lost_by_ = ending_.value_or(CellEnd::kFailure);
  state_was_lost_ = state_was_lost_ || cell_was_used_;
  drop_cell();
}

void Sandbox::drop_cell() {
  loop_.cancel(hello_timer_);
  loop_.cancel(ending_timer_);
  ending_.reset();
  alive_ = std::make_shared<int>(0);
  asked_.clear();
  client_.reset();
  cell_.reset();
  facts_.reset();
  keep_session_time();
}

}  // namespace bashcell::sandbox
