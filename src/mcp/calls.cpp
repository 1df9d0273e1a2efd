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
  Call(std::weak_ptr<Table> table, rpc::Reply reply, std::function<nlohmann::json(const ToolResult&)> to_result)
      : table_(std::move(table)), reply_(std::move(reply)), to_result_(std::move(to_result)) {
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
      const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(base::now() - started_).count();
      progress_ = std::max(progress_ + 1, seconds);
      shared->options.send_progress({{"progressToken", token_}, {"progress", progress_}});
      schedule_progress();
    });
  }

  // Out of the table, so that it cannot be cancelled, and no progress any more. Idempotent.
  void leave() {
    const auto table = table_.lock();
    if (!table || !reply_.open()) return;
    stop_progress();
    table->open.erase(rpc::id_key(reply_.id()));
  }

  std::weak_ptr<Table> table_;
  rpc::Reply reply_;
  std::function<nlohmann::json(const ToolResult&)> to_result_;
  std::function<void()> on_cancel_;
  nlohmann::json token_ = nullptr;
  base::Instant started_;
  int64_t progress_ = 0;
  base::EventLoop::TimerId timer_ = 0;
};

Calls::Calls(base::EventLoop& loop, Options options)
    : table_(std::make_shared<Table>(Table{loop, std::move(options)})) {}

Calls::~Calls() {
  // The timers hold pointers to calls that may be dropped later, when the table is gone and cannot cancel them.
  for (const auto& [key, call] : table_->open) call->stop_progress();
}

std::unique_ptr<ToolCall> Calls::open(rpc::Reply reply, std::function<nlohmann::json(const ToolResult&)> to_result,
                                      std::optional<nlohmann::json> progress_token) {
  auto call = std::make_unique<Call>(table_, std::move(reply), std::move(to_result));
  if (progress_token) call->start_progress(std::move(*progress_token));
  return call;
}

void Calls::cancel(const rpc::Id& id) {
  const auto found = table_->open.find(rpc::id_key(id));
  if (found != table_->open.end()) found->second->cancel();
}

}  // namespace bashcell::mcp
