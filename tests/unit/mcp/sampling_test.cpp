// Tools that ask the client's own model.

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace bashcell;
using namespace bashcell::mcp;
using nlohmann::json;

namespace {

void initialize(Fixture& f, const json& capabilities) {
  f.result("initialize", {{"protocolVersion", "2025-06-18"}, {"capabilities", capabilities}, {"clientInfo", {}}});
}

// A call of a client that samples, and what came of its question.
struct Asked {
  Asked() {
    initialize(f, {{"sampling", json::object()}});
    f.send(Fixture::call(1));
    f.tool.calls[0]->sample({{"maxTokens", 5}}, [this](base::Result<json> result) {
      got.push_back(result ? result->dump() : result.error().message);
    });
    const std::vector<json> sent = f.transport.take();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0]["method"] == "sampling/createMessage");
    CHECK(sent[0]["params"] == json{{"maxTokens", 5}});
    id = sent[0]["id"];
  }
  void answer(const json& with) {
    f.send(json{{"jsonrpc", "2.0"}, {"id", with}, {"result", {{"role", "assistant"}}}}.dump());
  }

  Fixture f;
  json id;
  std::vector<std::string> got;
};

}  // namespace

TEST_CASE("only a call of the legacy era from a client that declares sampling can sample") {
  Fixture f;
  f.send(Fixture::call(1));  // before any initialize
  CHECK_FALSE(f.tool.calls.back()->can_sample());
  for (const json& capabilities : {json::object(), json{{"roots", json::object()}}, json{{"sampling", true}},
                                   json{{"sampling", nullptr}}, json::array(), json("sampling"), json(nullptr)}) {
    initialize(f, capabilities);
    f.send(Fixture::call(2));
    INFO(capabilities.dump());
    CHECK_FALSE(f.tool.calls.back()->can_sample());
    f.tool.calls.back()->sample(json::object(), [](const base::Result<json>&) { FAIL("asked"); });
    f.expect_silence();
    f.tool.calls.back()->finish({"done"});
    f.transport.take();
  }
  initialize(f, {{"sampling", json::object()}});
  f.send(Fixture::call(3));
  CHECK(f.tool.calls.back()->can_sample());
  // Both eras may come on one connection: a modern call never asks.
  f.send(Fixture::call(4, Fixture::envelope()));
  CHECK_FALSE(f.tool.calls.back()->can_sample());
  f.tool.calls.back()->sample(json::object(), [](const base::Result<json>&) { FAIL("asked"); });
  f.expect_silence();
  initialize(f, json::object());  // the last one counts
  f.send(Fixture::call(5));
  CHECK_FALSE(f.tool.calls.back()->can_sample());
}

TEST_CASE("a client's answer comes to the tool that asked, and nothing else waits for it") {
  Asked asked;
  asked.f.expect_alive();
  asked.f.send(Fixture::call(2));
  asked.f.tool.calls[1]->finish({"at once"});
  CHECK(asked.f.transport.take().at(0)["id"] == 2);
  asked.answer("other");
  asked.answer(1);
  CHECK(asked.got.empty());
  asked.answer(asked.id);
  asked.answer(asked.id);
  CHECK(asked.got == std::vector<std::string>{R"({"role":"assistant"})"});
  asked.f.tool.calls[0]->finish({"done"});
  CHECK(asked.f.transport.take().size() == 1);  // and no cancel of an answered question
}

TEST_CASE("a question ends with its call, and the client is told") {
  const auto told = [](Asked& asked) {
    const std::vector<json> sent = asked.f.transport.take();
    REQUIRE_FALSE(sent.empty());
    CHECK(sent[0] ==
          json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", asked.id}}}});
    asked.answer(asked.id);  // late
    CHECK(asked.got.empty());
    asked.f.expect_alive();
    return sent.size();
  };
  SECTION("stopped") {
    Asked asked;
    asked.f.tool.calls[0]->stop_sampling();
    asked.f.tool.calls[0]->stop_sampling();
    CHECK(told(asked) == 1);
    CHECK(asked.f.tool.calls[0]->can_sample());
  }
  SECTION("finished") {
    Asked asked;
    asked.f.tool.calls[0]->finish({"done"});
    CHECK(told(asked) == 2);
    CHECK_FALSE(asked.f.tool.calls[0]->can_sample());
  }
  SECTION("cancelled") {
    Asked asked;
    asked.f.send(Fixture::cancel(1));
    CHECK(told(asked) == 1);
  }
  SECTION("dropped") {
    Asked asked;
    asked.f.tool.calls.clear();
    CHECK(told(asked) == 2);
  }
  SECTION("asked anew") {
    Asked asked;
    asked.f.tool.calls[0]->sample(json::object(), [](const base::Result<json>&) {});
    CHECK(told(asked) == 2);
  }
}

TEST_CASE("a question fails when the client closes its end") {
  Asked asked;
  asked.f.transport.events.on_end();
  CHECK(asked.got == std::vector<std::string>{"the client has closed the connection"});
  CHECK_FALSE(asked.f.tool.calls[0]->can_sample());
  asked.f.tool.calls[0]->finish({"done"});
  CHECK(asked.f.transport.take().size() == 1);
}

TEST_CASE("the tool may drop its call when the answer comes, and calls outlive the server") {
  Fixture f;
  initialize(f, {{"sampling", json::object()}});
  f.send(Fixture::call(1));
  f.tool.calls[0]->sample(json::object(), [&](const base::Result<json>&) { f.tool.calls.clear(); });
  f.send(json{{"jsonrpc", "2.0"}, {"id", f.transport.take().at(0)["id"]}, {"result", {}}}.dump());
  CHECK(f.tool.calls.empty());
  f.transport.take();
  f.send(Fixture::call(2));
  f.tool.calls[0]->sample(json::object(), [](const base::Result<json>&) { FAIL("answered"); });
  f.server.reset();
  CHECK_FALSE(f.tool.calls[0]->can_sample());
  f.tool.calls[0]->stop_sampling();
}
