#include "rpc/connection.h"

#include <catch2/catch.hpp>

#include "memory_transport.h"
#include "rpc/router.h"

using namespace bashcell;
using namespace bashcell::rpc;
using nlohmann::json;

namespace {

const base::Log kQuiet(base::LogLevel::kQuiet);

// A peer whose "echo" answers at once and whose "keep" answers when the test says so.
struct Fixture {
  Fixture() {
    router.add("echo", [](const json& params, Reply reply) { reply.result(params); });
    router.add("keep", [this](const json&, Reply reply) { kept.push_back(std::move(reply)); });
    ConnectionEvents events;
    events.on_request = [this](const Request& request, Reply reply) { router.handle(request, std::move(reply)); };
    events.on_notification = [this](const Notification& n) { notifications.push_back(n.method); };
    events.batches_allowed = [this] { return batches; };
    events.on_idle = [this] { ++idle_events; };
    connection.start(std::move(events));
  }

  // Sends and takes the one answer.
  json ask(const std::string& line) {
    transport.receive(line);
    std::vector<json> answers = transport.take();
    INFO(line);
    REQUIRE(answers.size() == 1);
    return answers[0];
  }

  void expect_alive() { CHECK(ask(R"({"jsonrpc":"2.0","id":"alive","method":"echo"})")["id"] == "alive"); }

  MemoryTransport transport;
  Connection connection{transport, kQuiet};
  Router router;
  std::vector<Reply> kept;
  std::vector<std::string> notifications;
  bool batches = false;
  int idle_events = 0;
};

std::string request(const std::string& id, const std::string& method) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + "\"}";
}

}  // namespace

TEST_CASE("requests are answered and unknown methods refused") {
  Fixture f;
  CHECK(f.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}})")["result"] == json{{"a", 1}});
  CHECK(f.ask(request("2", "nope"))["error"]["code"] == kMethodNotFound);
  CHECK(f.ask(request("3", "Echo"))["error"]["code"] == kMethodNotFound);
}

TEST_CASE("params that are no object are refused, null ones are absent") {
  Fixture f;
  CHECK(f.ask(R"({"jsonrpc":"2.0","id":1,"method":"echo","params":[1]})")["error"]["code"] == kInvalidParams);
  CHECK(f.ask(R"({"jsonrpc":"2.0","id":2,"method":"echo","params":"x"})")["error"]["code"] == kInvalidParams);
  CHECK(f.ask(R"({"jsonrpc":"2.0","id":3,"method":"echo","params":null})")["result"] == json::object());
}

TEST_CASE("every rude line is answered by one error and the next request works") {
  Fixture f;
  for (const char* line : {"{bad", "123", "[]", "[1]", R"({"id":6,"method":"echo"})", R"({"jsonrpc":"2.0","id":8})"}) {
    CHECK(f.ask(line)["error"]["code"].get<int>() < -32000);
    f.expect_alive();
  }
  f.transport.events.on_oversize();
  const std::vector<json> answers = f.transport.take();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"].is_null());
  f.expect_alive();
}

TEST_CASE("blank lines, notifications and stray responses get no answer") {
  Fixture f;
  for (const char* line :
       {"", "  ", R"({"jsonrpc":"2.0","method":"echo"})", R"({"jsonrpc":"2.0","id":8,"result":{}})"}) {
    f.transport.receive(line);
    CHECK(f.transport.sent.empty());
  }
  CHECK(f.notifications == std::vector<std::string>{"echo"});
}

TEST_CASE("an id that is in use is refused without it, and free again after the answer") {
  Fixture f;
  f.transport.receive(request("7", "keep"));
  CHECK(f.transport.sent.empty());
  CHECK(f.connection.in_flight() == 1);
  const json refused = f.ask(request("7", "echo"));
  CHECK(refused["id"].is_null());
  CHECK(refused["error"]["code"] == kInvalidRequest);
  CHECK(f.ask(request("\"7\"", "echo"))["id"] == "7");  // another id
  f.kept[0].result("done");
  CHECK(f.transport.take().at(0)["result"] == "done");
  CHECK(f.ask(request("7", "echo"))["id"] == 7);
}

TEST_CASE("idle means that all is answered and written") {
  Fixture f;
  CHECK(f.connection.idle());
  f.transport.receive(request("1", "keep"));
  CHECK_FALSE(f.connection.idle());
  f.transport.held = 10;
  f.kept[0].result(json::object());
  CHECK_FALSE(f.connection.idle());
  CHECK(f.idle_events == 0);
  f.transport.held = 0;
  f.transport.events.on_drained();
  CHECK(f.connection.idle());
  CHECK(f.idle_events == 1);
  f.transport.receive(request("2", "keep"));
  f.kept[1].abandon();
  CHECK(f.idle_events == 2);
}

TEST_CASE("replies may outlive the connection, and then send nothing") {
  MemoryTransport transport;
  Reply kept;
  {
    Connection connection(transport, kQuiet);
    ConnectionEvents events;
    events.on_request = [&](const Request&, Reply reply) { kept = std::move(reply); };
    connection.start(std::move(events));
    transport.receive(request("1", "keep"));
  }
  CHECK(kept.open());
  kept.result(json::object());
  CHECK(transport.sent.empty());
}

TEST_CASE("a batch is one error where it is not allowed (C104)") {
  Fixture f;
  for (const std::string& line :
       {"[" + request("1", "echo") + "," + request("2", "echo") + "]", std::string("[]"), std::string("[1]")}) {
    const json refused = f.ask(line);
    CHECK(refused["error"]["code"] == kInvalidRequest);
    CHECK(refused["id"].is_null());
    f.expect_alive();
  }
}

TEST_CASE("a batch is answered by one array, when its last request is (C104)") {
  Fixture f;
  f.batches = true;
  f.transport.receive("[" + request("1", "echo") + "," + request("2", "keep") +
                      R"(,{"jsonrpc":"2.0","method":"n"},1])");
  CHECK(f.transport.sent.empty());
  f.expect_alive();  // nothing waits for the batch
  f.kept[0].result("late");
  const json answer = f.transport.take().at(0);
  REQUIRE(answer.is_array());
  REQUIRE(answer.size() == 3);
  CHECK(answer[0]["id"] == 1);
  CHECK(answer[1]["error"]["code"] == kInvalidRequest);
  CHECK(answer[2]["result"] == "late");
  CHECK(f.connection.idle());
  CHECK(f.notifications.size() == 1);
}

TEST_CASE("batches without an answer are not answered; rude ones are") {
  Fixture f;
  f.batches = true;
  f.transport.receive(R"([{"jsonrpc":"2.0","method":"n"}])");
  CHECK(f.transport.sent.empty());
  f.transport.receive("[" + request("1", "keep") + "]");
  f.kept[0].abandon();
  CHECK(f.transport.sent.empty());
  const json refused = f.ask("[1]");
  REQUIRE(refused.is_array());
  CHECK(refused[0]["error"]["code"] == kInvalidRequest);
  CHECK(f.ask("[]").is_object());
  f.expect_alive();
}

TEST_CASE("the same id twice in a batch: both are answered, one with an error while the other is open") {
  Fixture f;
  f.batches = true;
  f.transport.receive("[" + request("1", "keep") + "," + request("1", "keep") + "]");
  f.kept.at(0).result("first");
  const json answer = f.transport.take().at(0);
  REQUIRE(answer.size() == 2);
  CHECK(answer[0]["error"]["code"] == kInvalidRequest);
  CHECK(answer[1]["result"] == "first");
}

namespace {

std::string answer(const std::string& id, const std::string& rest) {
  return R"({"jsonrpc":"2.0","id":)" + json(id).dump() + "," + rest + "}";
}

}  // namespace

TEST_CASE("an answer finds the request of this side by its id, once") {
  Fixture f;
  std::vector<std::string> got;
  const auto keep = [&got](const std::string& name) {
    return [&got, name](base::Result<json> result) {
      got.push_back(name + " " + (result ? result->dump() : result.error().message));
    };
  };
  const std::string first = f.connection.ask("sampling/createMessage", {{"a", 1}}, keep("first"));
  const std::string second = f.connection.ask("sampling/createMessage", json::object(), keep("second"));
  CHECK(f.transport.take() ==
        std::vector<json>{
            {{"jsonrpc", "2.0"}, {"id", first}, {"method", "sampling/createMessage"}, {"params", {{"a", 1}}}},
            {{"jsonrpc", "2.0"}, {"id", second}, {"method", "sampling/createMessage"}, {"params", json::object()}}});
  CHECK(first != second);
  CHECK(f.connection.idle());  // nobody waits for this
  f.transport.receive(answer(second, R"("result":{"b":2})"));
  f.transport.receive(answer(second, R"("result":{"b":3})"));  // twice
  f.transport.receive(answer(first, R"("error":{"code":-1,"message":"User rejected"})"));
  CHECK(got == std::vector<std::string>{R"(second {"b":2})", "first the peer answered with an error: User rejected"});
  CHECK(f.transport.take().empty());
  f.expect_alive();
}

TEST_CASE("answers to nothing that was asked are ignored") {
  Fixture f;
  int answers = 0;
  const std::string id = f.connection.ask("m", json::object(), [&](const base::Result<json>&) { ++answers; });
  const std::string forgotten = f.connection.ask("m", json::object(), [&](const base::Result<json>&) { ++answers; });
  f.connection.forget(forgotten);
  f.connection.forget("unknown");
  f.transport.take();
  f.transport.receive(answer(forgotten, R"("result":{})"));
  f.transport.receive(answer("other", R"("result":{})"));
  for (const char* stray : {"1", "0", "null", "1.5", "[]", "true"}) {
    f.transport.receive(R"({"jsonrpc":"2.0","id":)" + std::string(stray) + R"(,"result":{}})");
  }
  f.transport.receive(R"({"jsonrpc":"2.0","result":{}})");
  f.transport.receive(R"({"jsonrpc":"2.0","error":7})");
  CHECK(answers == 0);
  CHECK(f.transport.take().empty());
  f.transport.receive(answer(id, R"("error":7)"));  // malformed, but an answer
  CHECK(answers == 1);
  f.expect_alive();
}

TEST_CASE("what is asked fails when the peer goes, each of them once") {
  Fixture f;
  std::vector<std::string> errors;
  std::string second;
  f.connection.ask("m", json::object(), [&](base::Result<json> result) {
    errors.push_back(result.error().message);
    f.connection.forget(second);  // told may forget another
  });
  second = f.connection.ask("m", json::object(), [&](const base::Result<json>&) { errors.emplace_back("second"); });
  CHECK(f.connection.can_ask());
  f.transport.events.on_end();
  CHECK(errors == std::vector<std::string>{"the client has closed the connection"});
  CHECK_FALSE(f.connection.can_ask());
}
