#include "rpc/message.h"

#include <catch2/catch.hpp>

using namespace bashcell::rpc;
using nlohmann::json;

namespace {

Message only(const std::string& line) {
  Incoming incoming = parse_line(line);
  REQUIRE(incoming.messages.size() == 1);
  return incoming.messages[0];
}

Invalid invalid(const std::string& line) {
  const Message message = only(line);
  INFO(line.substr(0, 200));
  REQUIRE(std::holds_alternative<Invalid>(message));
  return std::get<Invalid>(message);
}

}  // namespace

TEST_CASE("a request keeps id, method and params") {
  const auto request = std::get<Request>(only(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":[1]}})"));
  CHECK(request.id == "a");
  CHECK(request.method == "m");
  CHECK(request.params == json{{"x", {1}}});
  CHECK_FALSE(request.in_batch);
}

TEST_CASE("absent params are null") {
  CHECK(std::get<Request>(only(R"({"jsonrpc":"2.0","id":0,"method":"m"})")).params.is_null());
}

TEST_CASE("ids keep their text (C105)") {
  for (const std::string id :
       {"0", "\"\"", "\"1\"", "1", "-1", "9007199254740993", "18446744073709551615", "-9223372036854775808"}) {
    const auto request = std::get<Request>(only(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}"));
    CHECK(id_key(request.id) == id);
    CHECK(result_line(request.id, json::object()) == R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})");
  }
}

TEST_CASE("ids of other kinds are refused with a null id (C105)") {
  for (const std::string id : {"1.5", "1.0", "1e3", "null", "{\"a\":1}", "[1]", "true", "18446744073709551616"}) {
    const Invalid refused = invalid(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}");
    CHECK(refused.error.code == kInvalidRequest);
    CHECK(refused.id.is_null());
  }
}

TEST_CASE("no id is a notification, whatever the method (C105)") {
  CHECK(std::get<Notification>(only(R"({"jsonrpc":"2.0","method":"ping"})")).method == "ping");
  CHECK(std::get<Notification>(only(R"({"jsonrpc":"2.0","method":"no/such/notification"})")).method ==
        "no/such/notification");
}

TEST_CASE("what is not JSON is a parse error with a null id (C102)") {
  for (const std::string line :
       {"{bad json", R"({"jsonrpc":"2.0","id":5,"method":"tools/li)", "Content-Length: 40", "{} {}", "'x'", "NaN",
        "1e999", "\"\xff\xfe\"", "{\"a\":\"\xed\xa0\x80\"}", "\"\xc0\xaf\"", R"("\ud800")", "\"tab\there\"",
        "{\"a\":1,}", "\x01", "\xef\xbb\xbf"}) {
    const Invalid refused = invalid(line);
    CHECK(refused.error.code == kParseError);
    CHECK(refused.id.is_null());
  }
  CHECK(invalid(std::string("{\"a\0\":1}", 8)).error.code == kParseError);
}

TEST_CASE("JSON that is no request is invalid, with its id where that is one (C102)") {
  const std::vector<std::pair<std::string, json>> cases = {
      {"123", nullptr},
      {"\"x\"", nullptr},
      {"null", nullptr},
      {R"({"id":6,"method":"ping"})", 6},
      {R"({"jsonrpc":"1.0","id":7,"method":"ping"})", 7},
      {R"({"jsonrpc":2.0,"id":7,"method":"ping"})", 7},
      {R"({"jsonrpc":"2.0","id":8})", 8},
      {R"({"jsonrpc":"2.0","id":9,"method":5})", 9},
      {R"({"jsonrpc":"2.0","method":null})", nullptr},
      {R"({})", nullptr},
  };
  for (const auto& [line, id] : cases) {
    const Invalid refused = invalid(line);
    CHECK(refused.error.code == kInvalidRequest);
    CHECK(refused.id == id);
  }
}

TEST_CASE("stray responses are told apart (C102)") {
  CHECK(std::holds_alternative<Response>(only(R"({"jsonrpc":"2.0","id":8,"result":{}})")));
  CHECK(std::holds_alternative<Response>(only(R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})")));
}

TEST_CASE("blank lines hold nothing (C102)") {
  for (const char* line : {"", "   ", "\t", " \r"}) CHECK(parse_line(line).messages.empty());
}

TEST_CASE("unknown members are ignored") {
  CHECK(std::get<Request>(only(R"({"x":{"y":1},"jsonrpc":"2.0","id":1,"method":"ping","trace":null})")).id == 1);
}

TEST_CASE("arrays are batches, an empty one is not (C104)") {
  const Incoming incoming = parse_line(R"([{"jsonrpc":"2.0","id":1,"method":"a"},1,{"jsonrpc":"2.0","method":"b"}])");
  CHECK(incoming.batch);
  REQUIRE(incoming.messages.size() == 3);
  CHECK(std::get<Request>(incoming.messages[0]).in_batch);
  CHECK(std::holds_alternative<Invalid>(incoming.messages[1]));
  CHECK(std::holds_alternative<Notification>(incoming.messages[2]));
  CHECK_FALSE(parse_line("[]").batch);
  CHECK(invalid("[]").error.code == kInvalidRequest);
}

TEST_CASE("nesting and the number of values are capped before anything is built") {
  const auto nested = [](size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":)" + std::string(depth, '[') + std::string(depth, ']') +
           "}";
  };
  CHECK(std::holds_alternative<Request>(only(nested(kMaxDepth - 1))));
  CHECK(invalid(nested(kMaxDepth)).error.code == kInvalidRequest);
  CHECK(invalid(std::string(5'000'000, '[')).error.code == kInvalidRequest);
  std::string many = "[0";
  for (size_t i = 0; i < kMaxElements; ++i) many += ",0";
  CHECK(invalid(many + "]").error.code == kInvalidRequest);
}

TEST_CASE("brackets in strings are not nesting") {
  const std::string text(1000, '[');
  CHECK(std::get<Request>(only(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"c":"\"\\)" + text + "\"}}"))
            .params["c"] == "\"\\" + text);
}

TEST_CASE("lines to send are valid UTF-8 without newlines, whatever is put into them") {
  const std::string line = result_line(1, {{"text", "a\xff\nb"}});
  CHECK(line.find('\n') == std::string::npos);
  CHECK(json::parse(line)["result"]["text"] == "a\xEF\xBF\xBD\nb");
  CHECK(json::parse(error_line(nullptr, {kParseError, "no"})) ==
        json::parse(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})"));
  CHECK(json::parse(error_line("x", {1, "m", {{"d", 2}}}))["error"]["data"]["d"] == 2);
  CHECK(json::parse(notification_line("n", {{"a", 1}})) ==
        json::parse(R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})"));
}
