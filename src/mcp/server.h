#pragma once
// The MCP server: both protocol eras at once, decided per message, over one transport. Everything but tools/call is
// answered at once and without asking a tool for more than its definition.
//
// What it does not do: it sends no requests but those of tools to the client's model (ToolCall::sample), keeps no
// protocol state but the version of the last `initialize` (for batches) and whether that declared `sampling`, and
// decides nothing about the process: the owner listens to ServerEvents.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/log.h"
#include "mcp/answers.h"
#include "mcp/calls.h"
#include "mcp/era.h"
#include "mcp/tool.h"
#include "rpc/connection.h"
#include "rpc/router.h"
#include "rpc/transport.h"

namespace bashcell::mcp {

struct ServerOptions {
  std::string name = "bashcell";
  std::string version = "0";
  // Sent in initialize and server/discover; left out when empty.
  std::string instructions = {};
  base::Duration progress_interval{5000};
  base::Log log = base::Log{};
};

// All on the loop's thread; unset ones are ignored.
struct ServerEvents {
  // No request will come any more. What was read is still being served: leave when idle, or when patience ends.
  std::function<void()> on_end_of_input;
  // Nobody reads the answers any more.
  std::function<void(const base::Error& error)> on_write_failure;
  // Server::idle() has become true. Also fires between requests; only its coming after the end of input means "done".
  std::function<void()> on_idle;
};

class Server {
 public:
  // All of them must outlive the server. Open ToolCalls may outlive it: they then answer nobody.
  Server(base::EventLoop& loop, rpc::Transport& transport, std::vector<Tool*> tools, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Once. Starts the transport.
  void start(ServerEvents events);

  // Requests that are not answered yet.
  size_t in_flight() const { return connection_.in_flight(); }
  // Nothing is in flight and all answers are written.
  bool idle() const { return connection_.idle(); }

 private:
  void add_shared_methods(rpc::Router& router, Era era);
  void add_legacy_methods();
  void add_modern_methods();
  void on_request(const rpc::Request& request, rpc::Reply reply);
  void on_notification(const rpc::Notification& notification);
  Calls::Options call_options(base::Duration progress_interval);
  void call_tool(Era era, const nlohmann::json& params, rpc::Reply reply);
  Tool* find_tool(const std::string& name) const;

  std::vector<Tool*> tools_;
  std::shared_ptr<const ServerInfo> info_;  // shared with open calls
  base::Log log_;
  rpc::Connection connection_;
  Calls calls_;
  rpc::Router legacy_;
  rpc::Router modern_;
  std::string negotiated_version_;  // empty before the first initialize
  bool client_samples_ = false;     // by the last initialize
};

}  // namespace bashcell::mcp
