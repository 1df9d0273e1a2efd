#pragma once
// The tools/calls in flight: their answers, their progress notifications, and their cancellation by id.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/event_loop.h"
#include "mcp/tool.h"
#include "rpc/connection.h"
#include "rpc/reply.h"

namespace bashcell::mcp {

class Calls {
 public:
  struct Options {
    // Sends notifications/progress with these params.
    std::function<void(const nlohmann::json& params)> send_progress;
    base::Duration progress_interval{5000};
    std::function<bool()> can_sample;  // the connection still can
    // Asks the client's model, and returns the id to forget it by (rpc::Connection::ask).
    std::function<std::string(const nlohmann::json& params, rpc::Connection::OnAnswer)> sample;
    // That answer is not wanted any more: says so to the client.
    std::function<void(const std::string& id)> stop_sampling;
  };
  struct Traits {
    std::optional<nlohmann::json> progress_token;
    bool can_sample = false;
  };

  // Calls may outlive this; they can still be answered, but have no progress and cannot be cancelled any more.
  Calls(base::EventLoop& loop, Options options);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls();

  // Files a call under reply.id(), which is not in use. `to_result` makes the result to send. With a token, progress is
  // sent every interval until the call is answered, cancelled or dropped.
  std::unique_ptr<ToolCall> open(rpc::Reply reply, std::function<nlohmann::json(const ToolResult&)> to_result,
                                 Traits traits);

  // Nothing is sent for that call from here on. An id that is not open (never was, or is answered) is no error.
  void cancel(const rpc::Id& id);

 private:
  class Call;
  struct Table;

  std::shared_ptr<Table> table_;
};

}  // namespace bashcell::mcp
