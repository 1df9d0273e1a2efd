// Clients that open a connection with `initialize`.

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace bashcell::mcp;
using nlohmann::json;

namespace {

json initialize_params(const json& version) {
  return {{"protocolVersion", version},
          {"capabilities", json::object()},
          {"clientInfo", {{"name", "t"}, {"version", "0"}}}};
}

}  // namespace

TEST_CASE("known legacy versions are echoed, all else becomes the newest legacy one (C108)") {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    Fixture f;
    CHECK(f.result("initialize", initialize_params(version))["protocolVersion"] == version);
  }
  for (const json& version :
       {json("2099-01-01"), json("2026-07-28"), json("2024-10-07"), json(""), json(5), json(nullptr), json::array()}) {
    Fixture f;
    CHECK(f.result("initialize", initialize_params(version))["protocolVersion"] == "2025-11-25");
  }
  Fixture f;
  CHECK(f.result("initialize", json::object())["protocolVersion"] == "2025-11-25");
  CHECK(f.result("initialize", nullptr)["protocolVersion"] == "2025-11-25");
}

TEST_CASE("initialize says who this is and what it can, and no more") {
  Fixture f;
  CHECK(f.result("initialize", initialize_params("2025-06-18")) ==
        json::parse(R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},
                        "serverInfo":{"name":"bashcell","version":"1.2"}})"));
}

TEST_CASE("instructions are sent only when they are set") {
  ServerOptions options;
  options.instructions = "Use it.";
  Fixture f(options);
  CHECK(f.result("initialize", initialize_params("2025-06-18"))["instructions"] == "Use it.");
  CHECK(f.result("server/discover", Fixture::modern())["instructions"] == "Use it.");
  Fixture without;
  CHECK_FALSE(without.result("server/discover", Fixture::modern()).contains("instructions"));
}

TEST_CASE("requests are served before, without and between handshakes (C107)") {
  Fixture f;
  f.send(Fixture::call(1));
  CHECK(f.tool.calls.size() == 1);
  f.expect_alive();
  f.result("initialize", initialize_params("2025-11-25"));
  f.result("initialize", initialize_params("2025-06-18"));
  f.send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  f.expect_silence();
  f.tool.calls[0]->finish({"early"});
  CHECK(f.transport.take().at(0)["result"]["content"][0]["text"] == "early");
}

TEST_CASE("tools/list sends the definition as it is, without modern members") {
  Fixture f;
  CHECK(f.result("tools/list", nullptr) ==
        json::parse(R"({"tools":[{"name":"bash","description":"Runs.","inputSchema":{"type":"object"}}]})"));
  f.tool.definition_.annotations = {{"openWorldHint", false}};
  f.tool.definition_.meta = {{"anthropic/alwaysLoad", true}};
  const json tool = f.result("tools/list", json::object())["tools"][0];
  CHECK(tool["annotations"] == json{{"openWorldHint", false}});
  CHECK(tool["_meta"] == json{{"anthropic/alwaysLoad", true}});
}

TEST_CASE("cursors: empty and null ones are the first page, others were never given out (C109)") {
  Fixture f;
  for (const char* method : {"tools/list", "prompts/list"}) {
    CHECK(f.error_code(method, {{"cursor", "zzz"}}) == -32602);
    CHECK(f.error_code(method, {{"cursor", 5}}) == -32602);
    f.result(method, {{"cursor", ""}});
    f.result(method, {{"cursor", nullptr}});
  }
}

TEST_CASE("a call's result is one text block; isError only when it is one") {
  Fixture f;
  f.send(Fixture::call(0));
  f.send(Fixture::call("0"));
  CHECK(f.server->in_flight() == 2);
  f.tool.calls[1]->finish({"no", true});
  f.tool.calls[0]->finish({"yes"});
  const std::vector<json> answers = f.transport.take();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0] ==
        json::parse(R"({"jsonrpc":"2.0","id":"0","result":{"content":[{"type":"text","text":"no"}],"isError":true}})"));
  CHECK(answers[1] == json::parse(R"({"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"yes"}]}})"));
  CHECK(f.server->idle());
}

TEST_CASE("malformed calls and unknown tools are -32602; arguments are the tool's to judge (C109)") {
  Fixture f;
  CHECK(f.error_code("tools/call", nullptr) == -32602);
  f.send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":null})");
  CHECK(f.transport.take().at(0)["error"]["code"] == -32602);
  CHECK(f.error_code("tools/call", json::array({1})) == -32602);
  CHECK(f.error_code("tools/call", {{"arguments", {{"command", "x"}}}}) == -32602);
  CHECK(f.error_code("tools/call", {{"name", 5}}) == -32602);
  CHECK(f.error_code("tools/call", {{"name", "zsh"}, {"arguments", json::object()}}) == -32602);
  CHECK(f.error_code("tools/call", {{"name", std::string(1'000'000, 'x')}}) == -32602);
  for (const json& arguments : {json::array({"echo x"}), json("x"), json(nullptr), json(5)}) {
    CHECK(f.error_code("tools/call", {{"name", "bash"}, {"arguments", arguments}}) == -32602);
  }
  CHECK(f.tool.calls.empty());
  f.send(Fixture::request(1, "tools/call", {{"name", "bash"}}));
  f.send(Fixture::request(2, "tools/call", {{"name", "bash"}, {"arguments", {{"command", 5}, {"extra", 1}}}}));
  CHECK(f.tool.arguments == std::vector<json>{json::object(), {{"command", 5}, {"extra", 1}}});
  f.transport.take();
}

TEST_CASE("methods that are not offered do not exist (C109)") {
  Fixture f;
  for (const char* method :
       {"no/such", "resources/list", "logging/setLevel", "completion/complete", "subscriptions/listen", ""}) {
    CHECK(f.error_code(method, nullptr) == -32601);
  }
  CHECK(f.error_code("server/discover", nullptr) == -32602);
  CHECK(f.error_code("server/discover", {{"_meta", {{"progressToken", 1}}}}) == -32602);
  f.expect_alive();
}

TEST_CASE("the system prompt is listed and given") {
  Fixture f;
  const json prompts = f.result("prompts/list", nullptr)["prompts"];
  REQUIRE(prompts.size() == 1);
  CHECK(prompts[0]["name"] == "system");
  const json prompt = f.result("prompts/get", {{"name", "system"}});
  REQUIRE(prompt["messages"].size() == 1);
  CHECK(prompt["messages"][0]["role"] == "user");
  CHECK(prompt["messages"][0]["content"]["text"].get<std::string>().find("/tmp/.cell/out/N") != std::string::npos);
  CHECK_FALSE(prompt.contains("resultType"));
  CHECK(f.error_code("prompts/get", {{"name", "other"}}) == -32602);
  CHECK(f.error_code("prompts/get", nullptr) == -32602);
}

TEST_CASE("batches belong to 2025-03-26 only (C104)") {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])";
  Fixture f;
  const auto refused = [&] {
    const json answer = f.ask(batch);
    return answer.is_object() && answer["id"].is_null() && answer["error"]["code"] == -32600;
  };
  CHECK(refused());
  f.result("initialize", initialize_params("2025-06-18"));
  CHECK(refused());
  f.result("initialize", initialize_params("2025-03-26"));
  CHECK(f.ask(batch) == json::parse(R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}])"));
  CHECK(f.ask("[" + Fixture::request(1, "initialize", initialize_params("2025-06-18")) + "]")[0]["error"]["code"] ==
        -32600);
  f.send("[" + Fixture::call(1) + "," + Fixture::call(2) + "]");
  f.send(Fixture::cancel(1));
  f.tool.calls[1]->finish({"two"});
  const json answers = f.transport.take().at(0);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"] == 2);
  f.result("initialize", initialize_params("2025-11-25"));
  CHECK(refused());
}
