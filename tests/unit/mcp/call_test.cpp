// Cancellation, progress, forgotten calls, and the end.

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace bashcell;
using namespace bashcell::mcp;
using nlohmann::json;

TEST_CASE("a cancelled call gets no answer, and its tool is told once (C23)") {
  Fixture f;
  int cancelled = 0;
  f.send(Fixture::call(1));
  f.tool.calls[0]->on_cancel([&] { cancelled += 100; });
  f.tool.calls[0]->on_cancel([&] { ++cancelled; });  // replaces the former
  f.send(Fixture::cancel(1));
  f.send(Fixture::cancel(1));
  CHECK(cancelled == 1);
  CHECK(f.server->in_flight() == 0);
  f.tool.calls[0]->finish({"late"});
  f.tool.calls.clear();
  f.expect_silence();
  f.expect_alive();
}

TEST_CASE("the id of a cancelled call may be used again at once") {
  Fixture f;
  f.send(Fixture::call(1));
  f.send(Fixture::cancel(1));
  f.send(Fixture::call(1));
  REQUIRE(f.tool.calls.size() == 2);
  f.tool.calls[0]->finish({"first"});
  f.tool.calls.erase(f.tool.calls.begin());
  f.expect_silence();
  f.send(Fixture::cancel(1));  // the second is still found under the id
  CHECK(f.server->in_flight() == 0);
}

TEST_CASE("a tool may drop the call while it is being cancelled") {
  Fixture f;
  f.send(Fixture::call(1));
  f.tool.calls[0]->on_cancel([&] { f.tool.calls.clear(); });
  f.send(Fixture::cancel(1));
  f.expect_silence();
  CHECK(f.tool.calls.empty());
}

TEST_CASE("cancels of unknown, finished, malformed and other-typed ids are ignored (C25)") {
  Fixture f;
  f.send(Fixture::call(1));
  f.tool.calls[0]->finish({"done"});
  f.transport.take();
  bool cancelled = false;
  f.send(Fixture::call(7));
  f.tool.calls[1]->on_cancel([&] { cancelled = true; });
  for (const json& id : {json(999), json(1), json({{"a", 1}}), json("7"), json(nullptr), json(7.0), json::array({7})})
    f.send(Fixture::cancel(id));
  f.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
  f.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":[7]})");
  f.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  f.expect_silence();
  CHECK_FALSE(cancelled);
  f.tool.calls[1]->finish({"seven"});
  CHECK(f.transport.take().at(0)["id"] == 7);
}

TEST_CASE("two hundred calls, each cancelled at once: none or one answer each (C24)") {
  Fixture f;
  for (int i = 1; i <= 200; ++i) {
    f.send(Fixture::call(i));
    if (i % 2 == 0) f.tool.calls.back()->finish({"fast"});
    f.send(Fixture::cancel(i));
  }
  f.tool.calls.clear();
  const std::vector<json> answers = f.transport.take();
  REQUIRE(answers.size() == 100);
  for (size_t i = 0; i < answers.size(); ++i) CHECK(answers[i]["id"] == 2 * (i + 1));
  f.expect_alive();
}

TEST_CASE("a call that its tool drops unanswered gets an internal error") {
  Fixture f;
  f.send(Fixture::call("x"));
  f.tool.calls.clear();
  const json answer = f.transport.take().at(0);
  CHECK(answer["id"] == "x");
  CHECK(answer["error"]["code"] == -32603);
}

TEST_CASE("a call is answered once") {
  Fixture f;
  f.send(Fixture::call(1));
  f.tool.calls[0]->finish({"a"});
  f.tool.calls[0]->finish({"b"});
  f.send(Fixture::cancel(1));
  f.tool.calls.clear();
  CHECK(f.transport.take().size() == 1);
}

TEST_CASE("an id in use is refused, without disturbing the call that has it") {
  Fixture f;
  f.send(Fixture::call(1));
  const json refused = f.ask(Fixture::call(1));
  CHECK(refused["id"].is_null());
  CHECK(refused["error"]["code"] == -32600);
  CHECK(f.tool.calls.size() == 1);
  f.tool.calls[0]->finish({"ok"});
  CHECK(f.transport.take().at(0)["result"]["content"][0]["text"] == "ok");
}

TEST_CASE("progress comes with the token as given, grows, and ends with the answer (C115)") {
  ServerOptions options;
  options.progress_interval = base::Duration(2);
  Fixture f(options);
  f.send(Fixture::call(1, {{"progressToken", "t1"}}));
  f.send(Fixture::call(2));
  f.send(Fixture::call(3, {{"progressToken", 0}}));
  f.send(Fixture::call(4, {{"progressToken", 1.5}}));  // no token
  json modern = Fixture::envelope();
  modern["progressToken"] = "t5";
  f.send(Fixture::call(5, modern));
  f.tool.calls[2]->finish({"done"});
  f.send(Fixture::cancel(5));
  // Three notifications of the first are the fact that is waited for; the others had as much time.
  const std::function<void()> watch = [&] {
    if (f.transport.sent.size() >= 4) return f.loop.stop();
    f.loop.after(base::Duration(1), watch);
  };
  watch();
  f.loop.run();
  f.tool.calls[0]->finish({"end"});
  const std::vector<json> sent = f.transport.take();
  REQUIRE(sent.size() >= 5);
  CHECK(sent.front()["id"] == 3);
  CHECK(sent.back()["id"] == 1);
  int64_t last = 0;
  for (size_t i = 1; i + 1 < sent.size(); ++i) {
    CHECK(sent[i]["method"] == "notifications/progress");
    CHECK(sent[i]["params"]["progressToken"] == "t1");
    CHECK(sent[i]["params"]["progress"].get<int64_t>() > last);
    last = sent[i]["params"]["progress"];
  }
}

TEST_CASE("progress carries the tool's message, where there is one, and the tool knows whether it is wanted") {
  ServerOptions options;
  options.progress_interval = base::Duration(2);
  Fixture f(options);
  f.send(Fixture::call(1, {{"progressToken", 7}}));
  f.send(Fixture::call(2));
  CHECK(f.tool.calls[0]->progress_interval() == base::Duration(2));
  CHECK(f.tool.calls[1]->progress_interval() == base::Duration::zero());
  int asked = 0;
  f.tool.calls[1]->on_progress([](base::Duration) -> std::string { throw std::logic_error("nobody wants it"); });
  f.tool.calls[0]->on_progress([&](base::Duration elapsed) {
    CHECK(elapsed >= base::Duration(2));
    if (++asked == 2) f.loop.stop();
    return asked == 1 ? std::string() : std::string("12 s: compiling");
  });
  f.loop.run();
  f.loop.post([&] { f.loop.stop(); });
  f.loop.run();
  const std::vector<json> sent = f.transport.take();
  REQUIRE(sent.size() >= 2);
  CHECK_FALSE(sent[0]["params"].contains("message"));
  CHECK(sent[1]["params"]["message"] == "12 s: compiling");
}

TEST_CASE("ping and lists do not wait for calls (C114)") {
  Fixture f;
  f.send(Fixture::call(1));
  f.expect_alive();
  f.result("tools/list", nullptr);
  f.result("initialize", nullptr);
  f.result("server/discover", Fixture::modern());
  CHECK(f.server->in_flight() == 1);
}

TEST_CASE("the end of input is told, and idle when the last call is answered (C119)") {
  Fixture f;
  f.send(Fixture::call(1));
  f.transport.events.on_end();
  CHECK(f.ends == 1);
  CHECK_FALSE(f.server->idle());
  f.idle_events = 0;
  f.tool.calls[0]->finish({"piped"});
  CHECK(f.idle_events == 1);
  CHECK(f.server->idle());
  CHECK(f.transport.take().at(0)["result"]["content"][0]["text"] == "piped");
}

TEST_CASE("calls may outlive the server") {
  ServerOptions options;
  options.progress_interval = base::Duration(1);
  Fixture f(options);
  f.send(Fixture::call(1, {{"progressToken", 1}}));
  f.server.reset();
  f.loop.after(base::Duration(5), [&] { f.loop.stop(); });
  f.loop.run();
  f.tool.calls[0]->finish({"nobody listens"});
  f.tool.calls.clear();
  f.expect_silence();
}

TEST_CASE("rude lines, each followed by a request that works (C102)") {
  Fixture f;
  const std::vector<std::pair<std::string, int>> lines = {{"{bad json", -32700},
                                                          {"123", -32600},
                                                          {"\"x\"", -32600},
                                                          {"null", -32600},
                                                          {"[]", -32600},
                                                          {R"({"jsonrpc":"2.0","id":5,"method":"tools/li)", -32700},
                                                          {R"({"id":6,"method":"ping"})", -32600},
                                                          {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600}};
  for (const auto& [line, code] : lines) {
    CHECK(f.ask(line)["error"]["code"] == code);
    f.expect_alive();
  }
}
