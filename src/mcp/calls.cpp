#include "mcp/calls.h"

#include <algorithm>
#include <utility>

namespace bashcell::mcp {

struct Calls::Table {
  base::EventLoop& loop;
  Options options;
  std::map<std::string, Call*> open = {};
};

class Calls::Call final : public ToolCall {
 public:
  Call(std::weak_ptr<Table> table, rpc::Reply reply, std::function<nlohmann::json(const ToolResult&)> to_result,
       bool may_sample)
      : table_(std::move(table)), reply_(std::move(reply)), to_result_(std::move(to_result)), may_sample_(may_sample) {
    if (const auto shared = table_.lock()) shared->open[rpc::id_key(reply_.id())] = this;
  }
  // reply_ answers by itself where it is still due.
  ~Call() override { leave(); }

  void finish(ToolResult result) override {
    if (!reply_.open()) return;
    leave();
    // Moved out first: the answer may end in whoever drops this call.
    rpc::Reply reply = std::move(reply_);
    reply.result(to_result_(result));
  }

  bool can_sample() const override {
    const auto table = table_.lock();
    return table && may_sample_ && reply_.open() && table->options.can_sample();
  }

  void sample(const nlohmann::json& params, std::function<void(base::Result<nlohmann::json>)> on_answer) override {
    stop_sampling();
    const auto table = table_.lock();
    if (!table || !can_sample()) return;
    question_ =
        table->options.sample(params, [this, on_answer = std::move(on_answer)](base::Result<nlohmann::json> result) {
          question_.clear();
          on_answer(std::move(result));  // last: it may drop this call
        });
  }

  void stop_sampling() override {
    const std::string question = std::exchange(question_, {});
    const auto table = table_.lock();
    if (!question.empty() && table) table->options.stop_sampling(question);
  }

  base::Duration progress_interval() const override {
    const auto table = table_.lock();
    return table && !token_.is_null() ? table->options.progress_interval : base::Duration::zero();
  }

  void on_progress(std::function<std::string(base::Duration)> message) override { message_ = std::move(message); }

  void on_cancel(std::function<void()> action) override { on_cancel_ = std::move(action); }

  void cancel() {
    leave();
    rpc::Reply reply = std::move(reply_);
    const std::function<void()> action = std::exchange(on_cancel_, nullptr);
    reply.abandon();
    if (action) action();  // last: it may drop this call
  }

  void start_progress(nlohmann::json token) {
    token_ = std::move(token);
    started_ = base::now();
    schedule_progress();
  }

  void stop_progress() {
    if (const auto table = table_.lock()) table->loop.cancel(timer_);
  }

 private:
  void schedule_progress() {
    const auto table = table_.lock();
    if (!table) return;
    timer_ = table->loop.after(table->options.progress_interval, [this] {
      const auto shared = table_.lock();
      if (!shared || !reply_.open()) return;
      // Whole seconds of running time, and in any case more than the last time: the protocol wants it to grow.
      const auto elapsed = std::chrono::duration_cast<base::Duration>(base::now() - started_);
      progress_ = std::max(progress_ + 1, std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
      nlohmann::json params = {{"progressToken", token_}, {"progress", progress_}};
      if (std::string message = message_ ? message_(elapsed) : std::string(); !message.empty()) {
        params["message"] = std::move(message);
      }
      shared->options.send_progress(params);
      schedule_progress();
    });
  }

  // Out of the table, so that it cannot be cancelled; no progress and no question any more. Idempotent.
  void leave() {
    const auto table = table_.lock();
    if (!table || !reply_.open()) return;
    stop_sampling();
    stop_progress();
    table->open.erase(rpc::id_key(reply_.id()));
  }

  std::weak_ptr<Table> table_;
  rpc::Reply reply_;
  std::function<nlohmann::json(const ToolResult&)> to_result_;
  std::function<void()> on_cancel_;
  std::function<std::string(base::Duration)> message_;
  nlohmann::json token_ = nullptr;
  base::Instant started_;
  int64_t progress_ = 0;
  bool may_sample_ = false;
  std::string question_;  // the id of the one that is open
  base::EventLoop::TimerId timer_ = 0;
};

Calls::Calls(base::EventLoop& loop, Options options)
    : table_(std::make_shared<Table>(Table{loop, std::move(options)})) {}

Calls::~Calls() {
  // The timers hold pointers to calls that may be dropped later, when the table is gone and cannot cancel them.
  for (const auto& [key, call] : table_->open) call->stop_progress();
}

std::unique_ptr<ToolCall> Calls::open(rpc::Reply reply, std::function<nlohmann::json(const ToolResult&)> to_result,
                                      Traits traits) {
  auto call = std::make_unique<Call>(table_, std::move(reply), std::move(to_result), traits.can_sample);
  if (traits.progress_token) call->start_progress(std::move(*traits.progress_token));
  return call;
}

void Calls::cancel(const rpc::Id& id) {
  const auto found = table_->open.find(rpc::id_key(id));
  if (found != table_->open.end()) found->second->cancel();
}

}  // namespace bashcell::mcp
