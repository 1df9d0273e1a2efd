#include "mcp/server.h"

#include <utility>
#include <variant>

#include "base/utf8.h"

namespace bashcell::mcp {

namespace {

using nlohmann::json;

rpc::ErrorObject invalid_params(const std::string& why) { return {rpc::kInvalidParams, "Invalid params: " + why}; }

// The string member `key`, or nothing when it is missing or no string.
std::optional<std::string> string_member(const json& params, const char* key) {
  const auto found = params.find(key);
  if (found == params.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::string quoted(const std::string& name) {
  constexpr size_t kMaxEcho = 100;  // the name is the client's, and may be megabytes
  std::string text = "\"";
  text += base::utf8_prefix(name, kMaxEcho);
  text += '"';
  return text;
}

// All lists fit one page, so no cursor was ever given out. Clients may send an empty or a null one.
bool is_first_page(const json& params) {
  const auto cursor = params.find("cursor");
  return cursor == params.end() || cursor->is_null() || *cursor == "";
}

// Answers with what `make` returns, to requests for the first page.
rpc::Router::Handler list_of(std::function<json()> make) {
  return [make = std::move(make)](const json& params, rpc::Reply reply) {
    if (is_first_page(params)) {
      reply.result(make());
    } else {
      reply.error(invalid_params("unknown cursor"));
    }
  };
}

}  // namespace

Server::Server(base::EventLoop& loop, rpc::Transport& transport, std::vector<Tool*> tools, ServerOptions options)
    : tools_(std::move(tools)),
      info_(std::make_shared<const ServerInfo>(ServerInfo{options.name, options.version, options.instructions})),
      log_(options.log),
      connection_(transport, options.log),
      calls_(loop, call_options(options.progress_interval)) {
  add_shared_methods(legacy_, Era::kLegacy);
  add_shared_methods(modern_, Era::kModern);
  add_legacy_methods();
  add_modern_methods();
}

Server::~Server() = default;

Calls::Options Server::call_options(base::Duration progress_interval) {
  Calls::Options options;
  options.progress_interval = progress_interval;
  options.send_progress = [this](const json& params) { connection_.notify("notifications/progress", params); };
  options.can_sample = [this] { return connection_.can_ask(); };
  options.sample = [this](const json& params, rpc::Connection::OnAnswer on_answer) {
    return connection_.ask("sampling/createMessage", params, std::move(on_answer));
  };
  options.stop_sampling = [this](const std::string& id) {
    connection_.forget(id);
    connection_.notify("notifications/cancelled", {{"requestId", id}});
  };
  return options;
}

void Server::start(ServerEvents events) {
  rpc::ConnectionEvents incoming;
  incoming.on_request = [this](const rpc::Request& request, rpc::Reply reply) {
    on_request(request, std::move(reply));
  };
  incoming.on_notification = [this](const rpc::Notification& notification) { on_notification(notification); };
  incoming.batches_allowed = [this] { return negotiated_version_ == kBatchVersion; };
  incoming.on_end = std::move(events.on_end_of_input);
  incoming.on_write_failure = std::move(events.on_write_failure);
  incoming.on_idle = std::move(events.on_idle);
  connection_.start(std::move(incoming));
}

void Server::add_shared_methods(rpc::Router& router, Era era) {
  router.add("tools/list", list_of([this, era] { return tools_result(*info_, era, tools_); }));
  router.add("tools/call",
             [this, era](const json& params, rpc::Reply reply) { call_tool(era, params, std::move(reply)); });
  router.add("prompts/list", list_of([this, era] { return prompts_result(*info_, era); }));
  router.add("prompts/get", [this, era](const json& params, rpc::Reply reply) {
    const std::optional<std::string> name = string_member(params, "name");
    if (!name) return reply.error(invalid_params("name must be a string"));
    if (*name != kPromptName) return reply.error(invalid_params("unknown prompt " + quoted(*name)));
    reply.result(prompt_result(*info_, era));
  });
}

void Server::add_legacy_methods() {
  legacy_.add("initialize", [this](const json& params, rpc::Reply reply) {
    negotiated_version_ = negotiated_version(params);
    client_samples_ = declares_sampling(params);
    reply.result(initialize_result(*info_, negotiated_version_));
  });
  legacy_.add("ping", [](const json&, rpc::Reply reply) { reply.result(json::object()); });
  // A probe by a client that forgot the envelope: it is told what is wrong, not that there is no such method.
  legacy_.add("server/discover", [](const json&, rpc::Reply reply) {
    reply.error(invalid_params("_meta must hold io.modelcontextprotocol/protocolVersion"));
  });
}

void Server::add_modern_methods() {
  modern_.add("server/discover", [this](const json&, rpc::Reply reply) { reply.result(discover_result(*info_)); });
}

void Server::on_request(const rpc::Request& request, rpc::Reply reply) {
  const std::variant<Era, rpc::ErrorObject> era = era_of(request.params);
  if (const auto* const error = std::get_if<rpc::ErrorObject>(&era)) return reply.error(*error);
  if (request.in_batch && request.method == "initialize") {
    return reply.error({rpc::kInvalidRequest, "Invalid request: initialize must not be part of a batch"});
  }
  const rpc::Router& router = std::get<Era>(era) == Era::kModern ? modern_ : legacy_;
  router.handle(request, std::move(reply));
}

void Server::on_notification(const rpc::Notification& notification) {
  if (notification.method != "notifications/cancelled" || !notification.params.is_object()) return;
  if (const auto id = notification.params.find("requestId"); id != notification.params.end()) calls_.cancel(*id);
}

void Server::call_tool(Era era, const json& params, rpc::Reply reply) {
  const std::optional<std::string> name = string_member(params, "name");
  if (!name) return reply.error(invalid_params("name must be a string"));
  Tool* const tool = find_tool(*name);
  if (tool == nullptr) return reply.error(invalid_params("unknown tool " + quoted(*name)));
  const auto arguments = params.find("arguments");
  if (arguments != params.end() && !arguments->is_object()) {
    return reply.error(invalid_params("arguments must be an object"));
  }
  auto to_result = [info = info_, era](const ToolResult& result) { return call_result(*info, era, result); };
  std::unique_ptr<ToolCall> call =
      calls_.open(std::move(reply), std::move(to_result),
                  {.progress_token = progress_token(params), .can_sample = era == Era::kLegacy && client_samples_});
  tool->call(arguments != params.end() ? *arguments : json::object(), std::move(call));
}

Tool* Server::find_tool(const std::string& name) const {
  for (Tool* tool : tools_) {
    if (tool->definition().name == name) return tool;
  }
  return nullptr;
}

}  // namespace bashcell::mcp
