#pragma once
// A server with one remembered-fake tool, and the test as its client.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "../rpc/memory_transport.h"
#include "mcp/server.h"

namespace bashcell::mcp {

// Keeps its calls; the test answers them.
class KeepingTool final : public Tool {
 public:
  KeepingTool() {
    definition_.name = "bash";
    definition_.description = "Runs.";
    definition_.input_schema = {{"type", "object"}};
  }
  const ToolDefinition& definition() const override { return definition_; }
  void call(const nlohmann::json& given, std::unique_ptr<ToolCall> call) override {
    arguments.push_back(given);
    calls.push_back(std::move(call));
  }

  std::vector<nlohmann::json> arguments;
  std::vector<std::unique_ptr<ToolCall>> calls;
  ToolDefinition definition_;
};

struct Fixture {
  explicit Fixture(ServerOptions options = {}) {
    options.version = "1.2";
    options.log = base::Log(base::LogLevel::kQuiet);
    server = std::make_unique<Server>(loop, transport, std::vector<Tool*>{&tool}, std::move(options));
    ServerEvents events;
    events.on_end_of_input = [this] { ++ends; };
    events.on_idle = [this] { ++idle_events; };
    server->start(std::move(events));
  }

  // Sends and takes the one answer.
  nlohmann::json ask(const std::string& line) {
    transport.receive(line);
    std::vector<nlohmann::json> answers = transport.take();
    INFO(line);
    REQUIRE(answers.size() == 1);
    return answers[0];
  }
  nlohmann::json ask(const std::string& method, const nlohmann::json& params) {
    return ask(request(++last_id, method, params));
  }
  int error_code(const std::string& method, const nlohmann::json& params) {
    const nlohmann::json answer = ask(method, params);
    INFO(answer.dump());
    REQUIRE(answer.contains("error"));
    CHECK(answer["id"] == last_id);
    return answer["error"]["code"];
  }
  nlohmann::json result(const std::string& method, const nlohmann::json& params) {
    const nlohmann::json answer = ask(method, params);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"];
  }
  void send(const std::string& line) const { transport.receive(line); }
  void expect_silence() const { CHECK(transport.sent.empty()); }
  void expect_alive() { CHECK(result("ping", nullptr) == nlohmann::json::object()); }

  static std::string request(const nlohmann::json& id, const std::string& method, const nlohmann::json& params) {
    nlohmann::json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
    if (!params.is_null()) message["params"] = params;
    return message.dump();
  }
  static std::string call(const nlohmann::json& id, const nlohmann::json& meta = nullptr) {
    nlohmann::json params = {{"name", "bash"}, {"arguments", {{"command", "true"}}}};
    if (!meta.is_null()) params["_meta"] = meta;
    return request(id, "tools/call", params);
  }
  static std::string cancel(const nlohmann::json& id) {
    return nlohmann::json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}
        .dump();
  }
  // A complete modern envelope.
  static nlohmann::json envelope() {
    return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
            {"io.modelcontextprotocol/clientCapabilities", nlohmann::json::object()}};
  }
  static nlohmann::json modern(nlohmann::json params = nlohmann::json::object()) {
    params["_meta"] = envelope();
    return params;
  }

  base::EventLoop loop;
  rpc::MemoryTransport transport;
  KeepingTool tool;
  std::unique_ptr<Server> server;
  int last_id = 1000;
  int ends = 0;
  int idle_events = 0;
};

}  // namespace bashcell::mcp
