#include "tools/bash_tool.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "embedded/tool_texts.h"
#include "heal/model_client.h"
#include "heal/repair_call.h"
#include "tools/questions.h"
#include "tools/render.h"
#include "tools/reply_text.h"

namespace bashcell::tools {

namespace {

mcp::ToolDefinition bash_definition() {
  return {.name = "bash",
          .description = std::string(base::trimmed(kBashDescription)),
          .input_schema = nlohmann::json::parse(kBashInputSchema),
          // A cell has no network: clients that ask before using results of an open world need not.
          .annotations = {{"openWorldHint", false}},
          // Claude Code hides tools behind a search unless told not to.
          .meta = {{"anthropic/alwaysLoad", true}}};
}

}  // namespace

base::Result<sandbox::CallRequest> bash_request(const nlohmann::json& arguments, const BashToolOptions& options) {
  const auto command = arguments.find("command");
  if (command == arguments.end() || !command->is_string()) {
    return base::Error{"`command` must be a string: the bash script to run"};
  }
  const auto& text = command->get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos)
    return base::Error{"`command` must not contain NUL characters; nothing was run"};
  if (base::trimmed(text).empty()) return base::Error{"`command` is empty: it must hold a bash script"};

  sandbox::CallRequest request;
  request.budget = options.budget;
  request.timeout = options.timeout;
  const auto timeout = arguments.find("timeout");
  if (timeout != arguments.end() && !timeout->is_null()) {
    const double max_seconds = static_cast<double>(options.max_timeout.count()) / 1000;
    const double seconds = timeout->is_number() ? timeout->get<double>() : 0;
    if (!(seconds > 0 && seconds <= max_seconds)) {
      return base::Error{"`timeout` must be a number of seconds above 0 and at most " +
                         base::seconds_text(options.max_timeout) + "; nothing was run"};
    }
    request.timeout = base::Duration(std::max<int64_t>(1, std::llround(seconds * 1000)));
  }
  // CRLF line ends would make every command end in a carriage return.
  request.script = base::with_unix_line_ends(text);
  if (!options.filters) return request;
  if (std::optional<Filter> filter = filter_for(request.script, options.extra_filters)) {
    request.filter_name = std::move(filter->name);
    request.filter = std::move(filter->text);
  }
  return request;
}

// A call that its client waits for.
struct BashTool::Open {
  std::unique_ptr<mcp::ToolCall> call;
  std::unique_ptr<heal::Model> model;        // over `call`
  std::unique_ptr<heal::RepairCall> repair;  // over `model`
  std::string script;
  std::string sent;  // when another one was run in its place: the script as it came
  base::Duration timeout{0};
  base::Instant begun = base::now();
  sandbox::Sandbox::CallId id = 0;  // of what runs for it in the sandbox now
  std::string last_line;            // of the output so far
  sandbox::WorkspaceLock* lock = nullptr;
  sandbox::WorkspaceLock::Ticket ticket = 0;  // of that lock, waited for or held until the reply

  Open() = default;
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() { unlock(); }

  void unlock() {
    if (lock != nullptr) lock->release(std::exchange(ticket, 0));
  }
};

BashTool::BashTool(base::EventLoop& loop, sandbox::Sandbox& sandbox, heal::Healer* healer, BashToolOptions options)
    : loop_(loop), sandbox_(sandbox), healer_(healer), options_(std::move(options)), definition_(bash_definition()) {
  answer_questions(sandbox_, healer_, options_.shelf);
}

void BashTool::call(const nlohmann::json& arguments, std::unique_ptr<mcp::ToolCall> call) {
  base::Result<sandbox::CallRequest> request = bash_request(arguments, options_);
  if (!request) {
    call->finish({.text = "[cell: " + request.error().message + "]", .is_error = true});
    return;
  }
  // Kept alive by the sandbox, which reports a cancelled call, too.
  auto open = std::make_shared<Open>();
  open->call = std::move(call);
  open->script = request->script;
  open->timeout = request->timeout;
  request->progress = open->call->progress_interval();
  if (request->progress > base::Duration::zero()) {
    request->on_progress = [weak = std::weak_ptr<Open>(open)](const std::string& line) {
      if (const std::shared_ptr<Open> told = weak.lock()) told->last_line = one_line(line, wire::kMaxLastLine);
    };
  }
  // `open` owns the call, so it is there as long as that is.
  open->call->on_progress([this, raw = open.get()](base::Duration elapsed) { return progress_text(*raw, elapsed); });
  sandbox::WorkspaceLock* const lock = options_.workspace_lock;
  open->call->on_cancel([this, weak = std::weak_ptr<Open>(open)] {
    const std::shared_ptr<Open> cancelled = weak.lock();
    if (!cancelled) return;
    if (cancelled->id == 0) return cancelled->unlock();  // it waits for its turn
    cancelled->repair.reset();
    cancelled->model.reset();
    if (healer_ != nullptr) healer_->forget(cancelled->id);
    sandbox_.cancel(cancelled->id);
  });
  if (lock == nullptr) return start(open, std::move(*request));
  open->lock = lock;
  open->ticket = lock->take([this, open, request = std::move(*request)](base::Result<void> taken) {
    if (taken) return start(open, request);
    const std::string text = "[cell: " + taken.error().message + "]";
    open->call->finish({.text = text, .is_error = true});
    record(*open, {.result = sandbox::NotRun{taken.error().message}}, text.size());
  });
}

void BashTool::start(const std::shared_ptr<Open>& open, sandbox::CallRequest request) {
  open->begun = base::now();
  open->id = sandbox_.run(std::move(request),
                          [this, open](sandbox::CallReport report) { on_report(open, std::move(report)); });
  if (healer_ != nullptr) healer_->begin(open->id);
  if (options_.shelf != nullptr) options_.shelf->begin(open->id);
}

std::string BashTool::progress_text(const Open& open, base::Duration elapsed) const {
  const auto whole_seconds = [](base::Instant::duration time) {
    return base::seconds_text(std::chrono::floor<std::chrono::seconds>(time));
  };
  if (const auto install = healer_ != nullptr ? healer_->installing(open.id) : std::nullopt) {
    return "installing " + install->package + ", " + whole_seconds(base::now() - install->since);
  }
  return whole_seconds(elapsed) + (open.last_line.empty() ? "" : ": " + open.last_line);
}

void BashTool::on_report(const std::shared_ptr<Open>& open, sandbox::CallReport report) {
  if (!start_repair(open, report)) heal(open, std::move(report), {});
}

// False: there is nothing to repair, or nobody to do it.
bool BashTool::start_repair(const std::shared_ptr<Open>& open, sandbox::CallReport& report) {
  const bool by_client = options_.repair_by_client && open->call->can_sample();
  if ((!by_client && options_.model == nullptr) || !heal::RepairCall::may_start(open->script, report)) return false;
  if (by_client) {
    mcp::ToolCall* const call = open->call.get();
    open->model = std::make_unique<heal::ClientModel>(heal::Sampling{
        .ask = [call](const nlohmann::json& params, auto on_answer) { call->sample(params, std::move(on_answer)); },
        .stop = [call] { call->stop_sampling(); }});
  }
  heal::Model& model = by_client ? *open->model : *options_.model;
  heal::RepairCell cell{
      .run = [this, open = open.get()](auto request,
                                       auto done) { return run_repaired(*open, std::move(request), std::move(done)); },
      .cancel = [this](sandbox::Sandbox::CallId id) { sandbox_.cancel(id); }};
  open->repair = std::make_unique<heal::RepairCall>(loop_, model, std::move(cell), [this](const std::string& script) {
    base::Result<sandbox::CallRequest> request = bash_request({{"command", script}}, options_);
    return request ? std::move(*request) : sandbox::CallRequest{};
  });
  const base::Instant deadline = open->begun + std::min(open->timeout, heal::kClientsWait);
  open->repair->start(open->script, std::move(report), {}, deadline, [this, open](heal::RepairedCall repaired) {
    const std::unique_ptr<heal::RepairCall> ended = std::move(open->repair);
    if (repaired.script != open->script) open->sent = std::move(open->script);
    open->script = std::move(repaired.script);
    heal(open, std::move(repaired.report), std::move(repaired.clause));
  });
  return true;
}

sandbox::Sandbox::CallId BashTool::run_repaired(Open& open, sandbox::CallRequest request,
                                                sandbox::Sandbox::OnFinished done) {
  const sandbox::Sandbox::CallId id = sandbox_.run(std::move(request), std::move(done));
  if (healer_ != nullptr) {
    healer_->forget(open.id);
    healer_->begin(id);
  }
  if (options_.shelf != nullptr) options_.shelf->begin(id);
  open.id = id;
  open.last_line.clear();
  return id;
}

void BashTool::heal(const std::shared_ptr<Open>& open, sandbox::CallReport report, std::string clause) {
  if (options_.shelf != nullptr) options_.shelf->ended(open->id, open->script, report);
  const auto with_clause = [](std::vector<std::string> clauses, std::string one) {
    if (!one.empty()) clauses.push_back(std::move(one));
    return clauses;
  };
  if (healer_ == nullptr) return finish(*open, report, with_clause({}, std::move(clause)));
  auto kept = std::make_shared<sandbox::CallReport>(std::move(report));
  healer_->finish(open->id, {.report = *kept, .script = open->script, .spec = sandbox_.spec()},
                  [this, open, kept, clause = std::move(clause), with_clause](std::vector<std::string> clauses) {
                    finish(*open, *kept, with_clause(std::move(clauses), clause));
                  });
}

void BashTool::finish(Open& open, const sandbox::CallReport& report, std::vector<std::string> healing) {
  Rendered rendered = render(report, {.script = open.script,
                                      .timeout = open.timeout,
                                      .budget = options_.budget,
                                      .limits = sandbox_.spec(),
                                      .session = sandbox_.session_limits(),
                                      .healing = std::move(healing)});
  const size_t bytes = rendered.text.size();
  open.unlock();  // whoever has the reply finds the workspace free
  open.call->finish({.text = std::move(rendered.text), .is_error = rendered.is_error});
  record(open, report, bytes);
}

void BashTool::record(const Open& open, const sandbox::CallReport& report, size_t reply_bytes) {
  if (options_.audit == nullptr) return;
  options_.audit->add({.script = open.sent.empty() ? open.script : open.sent,
                       .report = report,
                       .reply_bytes = reply_bytes,
                       .installed = healer_ != nullptr ? healer_->installed(open.id) : std::vector<std::string>(),
                       .repaired = !open.sent.empty()});
}

}  // namespace bashcell::tools
