// Clients that send the 2026-07-28 envelope with every request.

#include <catch2/catch.hpp>

#include "fixture.h"

using namespace bashcell::mcp;
using nlohmann::json;

namespace {

const json kServerInfo = json::parse(R"({"io.modelcontextprotocol/serverInfo":{"name":"bashcell","version":"1.2"}})");

}  // namespace

TEST_CASE("server/discover says all that initialize did") {
  Fixture f;
  CHECK(f.result("server/discover", Fixture::modern()) ==
        json::parse(
            R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}},
                        "ttlMs":3600000,"cacheScope":"public",
                        "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bashcell","version":"1.2"}}})"));
}

TEST_CASE("every modern result has its type and the server's name; lists say how long they hold") {
  Fixture f;
  for (const char* method : {"tools/list", "prompts/list"}) {
    const json result = f.result(method, Fixture::modern());
    CHECK(result["resultType"] == "complete");
    CHECK(result["_meta"] == kServerInfo);
    CHECK(result["ttlMs"] == 3600000);
    CHECK(result["cacheScope"] == "public");
  }
  const json prompt = f.result("prompts/get", Fixture::modern({{"name", "system"}}));
  CHECK(prompt["resultType"] == "complete");
  CHECK(prompt["_meta"] == kServerInfo);
  CHECK_FALSE(prompt.contains("ttlMs"));
  f.send(Fixture::call("a", Fixture::envelope()));
  f.tool.calls[0]->finish({"out"});
  CHECK(f.transport.take().at(0)["result"] == json{{"resultType", "complete"},
                                                   {"_meta", kServerInfo},
                                                   {"content", json::array({{{"type", "text"}, {"text", "out"}}})}});
}

TEST_CASE("other versions are refused with what is supported") {
  Fixture f;
  for (const char* version : {"2027-01-01", "2025-11-25", ""}) {
    json params = Fixture::modern();
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = version;
    for (const char* method : {"server/discover", "tools/list", "no/such"}) {
      const json error = f.ask(method, params)["error"];
      CHECK(error["code"] == -32022);
      CHECK(error["data"] == json{{"supported", {"2026-07-28"}}, {"requested", version}});
    }
  }
}

TEST_CASE("an envelope without client capabilities is malformed (C108)") {
  Fixture f;
  json params = Fixture::modern();
  for (const json& wrong : {json(nullptr), json("x"), json::array()}) {
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = wrong;
    CHECK(f.error_code("server/discover", params) == -32602);
  }
  params["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  CHECK(f.error_code("server/discover", params) == -32602);
  CHECK(f.error_code("tools/call", params) == -32602);
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = 5;
  CHECK(f.error_code("tools/list", params) == -32602);
}

TEST_CASE("methods of the legacy era do not exist for a modern message") {
  Fixture f;
  for (const char* method : {"initialize", "ping", "logging/setLevel", "subscriptions/listen", "resources/list"}) {
    CHECK(f.error_code(method, Fixture::modern()) == -32601);
  }
}

TEST_CASE("the era is decided by each message") {
  Fixture f;
  f.result("server/discover", Fixture::modern());
  CHECK(f.result("initialize", {{"protocolVersion", "2025-06-18"}})["protocolVersion"] == "2025-06-18");
  CHECK(f.result("tools/list", Fixture::modern()).contains("resultType"));
  CHECK_FALSE(f.result("tools/list", {{"_meta", {{"progressToken", 1}}}}).contains("resultType"));
  CHECK_FALSE(f.result("tools/list", {{"_meta", "odd"}}).contains("resultType"));
  f.expect_alive();
}
