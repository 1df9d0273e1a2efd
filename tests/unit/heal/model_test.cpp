// The two kinds of models: the client's own, and one behind an endpoint.

#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "heal/model_client.h"
#include "heal/model_http.h"
#include "model_server.h"

using namespace bashcell;
using namespace bashcell::heal;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

const Question kQuestion{"Repair.", "ls --foo"};

struct HttpFixture {
  HttpFixture(const std::string& path, std::function<void(http::Peer&)> serve)
      : server(std::move(serve)),
        model(loop, {.endpoint = parse_endpoint(server.url(path)).value(), .model = "small", .key = "secret"}) {}

  std::string ask(base::Duration limit = 20s) {
    std::string got;
    model.ask(kQuestion, base::now() + limit, [&](base::Result<std::string> text) {
      got = text ? *text : "! " + text.error().message;
      loop.stop();
    });
    CHECK(got.empty());  // never from inside
    loop.run();
    // The port differs with every run.
    const std::string name = server.url("");
    if (const size_t at = got.find(name); at != std::string::npos) got.replace(at, name.size(), "URL");
    return got;
  }

  base::EventLoop loop;
  ModelServer server;
  HttpModel model;
};

constexpr const char* kOpenAi = "/v1/chat/completions";
constexpr const char* kAnthropic = "/v1/messages";

std::function<void(http::Peer&)> answer(const std::string& status, const std::string& body) {
  return [status, body](http::Peer& peer) {
    if (!peer.request().empty()) peer.answer(status, body);
  };
}

}  // namespace

TEST_CASE("an endpoint in OpenAI's style is asked and understood") {
  std::string request;
  HttpFixture f(kOpenAi, [&](http::Peer& peer) {
    request = peer.request();
    peer.answer("200 OK", R"({"choices":[{"message":{"role":"assistant","content":"ls -l"}}]})");
  });
  CHECK(f.ask() == "ls -l");
  CHECK(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  CHECK(request.find("\r\nAuthorization: Bearer secret\r\n") != std::string::npos);
  CHECK(
      json::parse(request.substr(request.find("\r\n\r\n"))) ==
      json{{"model", "small"},
           {"stream", false},
           {"messages", {{{"role", "system"}, {"content", "Repair."}}, {{"role", "user"}, {"content", "ls --foo"}}}}});
}

TEST_CASE("an endpoint in Anthropic's style is asked and understood") {
  std::string request;
  HttpFixture f(kAnthropic, [&](http::Peer& peer) {
    request = peer.request();
    peer.answer("200 OK", R"({"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"ls"},
                             {"type":"text","text":" -l"}],"stop_reason":"end_turn"})");
  });
  CHECK(f.ask() == "ls -l");
  CHECK(request.starts_with("POST /v1/messages HTTP/1.1\r\n"));
  CHECK(request.find("\r\nx-api-key: secret\r\n") != std::string::npos);
  CHECK(request.find("\r\nanthropic-version: 2023-06-01\r\n") != std::string::npos);
  const json body = json::parse(request.substr(request.find("\r\n\r\n")));
  CHECK(body["system"] == "Repair.");
  CHECK(body["messages"] == json{{{"role", "user"}, {"content", "ls --foo"}}});
  CHECK(body["max_tokens"].is_number());
}

TEST_CASE("what makes no sense from an endpoint is one line that says so") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const struct {
    std::string status;
    std::string body;
    std::string expected;
  } cases[] = {
      {"500 Internal Server Error", "", "! the endpoint at URL answered 500"},
      {"500 Oops", "<html><body>Oops</body></html>", "! the endpoint at URL answered 500"},
      {"401 Unauthorized", R"({"error":{"message":"no such\nkey"}})",
       "! the endpoint at URL answered 401: no such key"},
      {"404 Not Found", R"({"error":"model not found"})", "! the endpoint at URL answered 404: model not found"},
      {"307 Elsewhere", "", "! the endpoint at URL answered 307"},
      {"200 OK", "", "! the endpoint at URL answered nothing"},
      {"200 OK", "<html>hi</html>", "! the endpoint at URL did not answer with a JSON object: <html>hi</html>"},
      {"200 OK", "\xff\xfe nonsense",
       "! the endpoint at URL did not answer with a JSON object: \xEF\xBF\xBD\xEF\xBF\xBD nonsense"},
      {"200 OK", "[]", "! the endpoint at URL did not answer with a JSON object: []"},
      {"200 OK", deep, "! the endpoint at URL did not answer with a JSON object: " + std::string(60, '[') + "..."},
      {"200 OK", "{}", "! the endpoint at URL answered without a text"},
      {"200 OK", R"({"choices":[]})", "! the endpoint at URL answered without a text"},
      {"200 OK", R"({"choices":[7]})", "! the endpoint at URL answered without a text"},
      {"200 OK", R"({"choices":{"0":1}})", "! the endpoint at URL answered without a text"},
      {"200 OK", R"({"choices":[{"message":{"content":null}}]})", "! the endpoint at URL answered without a text"},
      {"200 OK", R"({"choices":[{"message":{"content":[{"type":"image"}]}}]})",
       "! the endpoint at URL answered without a text"},
  };
  for (const auto& c : cases) {
    INFO(c.status << " " << c.body.substr(0, 80));
    HttpFixture f(kOpenAi, answer(c.status, c.body));
    CHECK(f.ask() == c.expected);
  }
}

TEST_CASE("an endless answer, none, and a closed connection are given up, and the next question works") {
  std::atomic<int> way = 0;
  HttpFixture f(kOpenAi, [&](http::Peer& peer) {
    if (peer.request().empty()) return;
    if (way == 0) {
      peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"x\":\"" + std::string(2 << 20, 'x'));
      peer.wait_for_end();
    } else if (way == 1) {
      peer.wait_for_end();
    } else if (way == 3) {
      peer.answer("200 OK", R"({"choices":[{"message":{"content":"ls"}}]})");
    }
  });
  CHECK(f.ask().find("longer than") != std::string::npos);
  way = 1;
  CHECK(f.ask(50ms).starts_with("! "));
  way = 2;
  CHECK(f.ask().starts_with("! "));
  way = 3;
  CHECK(f.ask() == "ls");
}

TEST_CASE("a question that is cancelled, or whose model goes, is not answered, and lets the endpoint go") {
  std::atomic<int> asked = 0;
  std::atomic<int> left = 0;
  const auto wait = [&](http::Peer& peer) {
    peer.request();
    ++asked;
    peer.wait_for_end();
    ++left;
  };
  int answers = 0;
  {
    HttpFixture f(kOpenAi, wait);
    const auto turn_until = [&f](const std::function<bool()>& done) {
      const std::function<void()> look = [&] { done() ? f.loop.stop() : (void)f.loop.after(5ms, look); };
      f.loop.post(look);
      f.loop.run();
    };
    const Model::Cancel cancel =
        f.model.ask(kQuestion, base::now() + 60s, [&](const base::Result<std::string>&) { ++answers; });
    turn_until([&] { return asked == 1; });
    cancel();
    cancel();
    turn_until([&] { return left == 1; });
    std::vector<std::string> errors;
    for (size_t i = 0; i < HttpModel::kMostQuestions + 2; ++i) {
      f.model.ask(kQuestion, base::now() + 60s, [&](const base::Result<std::string>& text) {
        errors.push_back(text ? "answered" : text.error().message);
      });
    }
    turn_until([&] { return !errors.empty() && asked >= 4; });
    for (const std::string& error : errors) CHECK(error == "too many questions are waiting for the model");
  }
  CHECK(answers == 0);
  CHECK(left == asked);
}

TEST_CASE("where an endpoint is, is said by a URL that leaves this machine only with TLS") {
  const Endpoint openai = parse_endpoint("https://api.example.com/v1/chat/completions?version=2").value();
  CHECK(openai.style == Endpoint::Style::kOpenAi);
  CHECK(openai.target.name == "https://api.example.com");
  CHECK(openai.target.host == "api.example.com");
  CHECK(openai.target.port == 443);
  CHECK(openai.target.tls.enabled);
  CHECK(openai.target.tls.verify);
  CHECK(openai.path == "/v1/chat/completions?version=2");
  const Endpoint local = parse_endpoint("http://[::1]:8080/v1/messages").value();
  CHECK(local.style == Endpoint::Style::kAnthropic);
  CHECK(local.target.host == "::1");
  CHECK(local.target.port == 8080);
  CHECK_FALSE(local.target.tls.enabled);
  CHECK(parse_endpoint("http://localhost/chat/completions"));
  CHECK(parse_endpoint("http://127.9.9.9:1/chat/completions"));
  for (const char* url : {"",
                          "client",
                          "http://example.com/chat/completions",
                          "http://127.0.0.1.example.com/chat/completions",
                          "http://10.0.0.1/chat/completions",
                          "ftp://localhost/chat/completions",
                          "https://example.com/",
                          "https://example.com",
                          "https:///chat/completions",
                          "https://u:p@example.com/chat/completions",
                          "https://example.com:0/chat/completions",
                          "https://example.com:99999/chat/completions",
                          "https://example.com:8x/chat/completions",
                          "https://exa mple.com/chat/completions",
                          "https://-x/chat/completions",
                          "https://[::1/chat/completions",
                          "https://a_b/chat/completions",
                          "https://example.com/chat/completions#x",
                          "https://example.com/v1/responses",
                          "https://e\n/v1/messages"}) {
    INFO(url);
    CHECK_FALSE(parse_endpoint(url));
  }
  CHECK(parse_endpoint("https://u:hush@example.com/v1/messages").error().message.find("hush") == std::string::npos);
}

TEST_CASE("the options of an endpoint are checked, and the key is read from the variable that is named") {
  const auto variable = [](const std::string& name) -> std::optional<std::string> {
    if (name == "KEY") return "hush";
    if (name == "EMPTY") return "";
    if (name == "ODD") return "hush\nX: y";
    return std::nullopt;
  };
  const std::string openai = "https://x/v1/chat/completions";
  const auto error = [&](const std::string& url, const std::string& model, const std::string& key) {
    const auto options = http_model_options(url, model, key, variable);
    return options ? std::string() : options.error().message;
  };
  const auto options = http_model_options(openai, "small", "KEY", variable);
  REQUIRE(options);
  CHECK(options.value().key == "hush");
  CHECK(options.value().model == "small");
  CHECK(error(openai, "", "").empty());
  CHECK(error("https://x/v1/messages", "small", "KEY").empty());
  CHECK(error("https://x/v1/messages", "", "KEY") ==
        "--repair-model is empty: this endpoint must be told which model to ask");
  CHECK(error("http://x/v1/messages", "m", "KEY").starts_with("--repair: plain http leaves this machine"));
  CHECK(error(openai, "m", "NONE") == "--repair-key-env: the variable NONE is not set");
  CHECK(error(openai, "m", "EMPTY") == "--repair-key-env: the variable EMPTY is not set");
  CHECK(error(openai, "m", "ODD") == "--repair-key-env: the value of ODD has blanks or odd characters");
}

TEST_CASE("the client's model is asked by sampling, and only text is taken from its answer") {
  json params;
  std::function<void(base::Result<json>)> respond;
  int stops = 0;
  ClientModel model({.ask =
                         [&](const json& given, std::function<void(base::Result<json>)> on_answer) {
                           params = given;
                           respond = std::move(on_answer);
                         },
                     .stop = [&] { ++stops; }});
  std::string got;
  const auto ask = [&] {
    return model.ask(kQuestion, base::now() + 60s,
                     [&](base::Result<std::string> text) { got = text ? *text : "! " + text.error().message; });
  };
  const Model::Cancel cancel = ask();
  CHECK(params["messages"] == json{{{"role", "user"}, {"content", {{"type", "text"}, {"text", "ls --foo"}}}}});
  CHECK(params["systemPrompt"] == "Repair.");
  CHECK(params["includeContext"] == "none");
  CHECK(params["maxTokens"].is_number_integer());
  const std::pair<json, std::string> cases[] = {
      {{{"role", "assistant"}, {"content", {{"type", "text"}, {"text", "ls"}}}, {"model", "m"}}, "ls"},
      {{{"content",
         {{{"type", "text"}, {"text", "l"}}, {{"type", "image"}, {"data", "x"}}, {{"type", "text"}, {"text", "s"}}}}},
       "ls"},
      {{{"content", "ls"}}, "ls"},
      {{{"content", {{"type", "image"}, {"data", "x"}}}}, "! the client answered without a text"},
      {{{"content", json::array()}}, "! the client answered without a text"},
      {{{"content", {{"type", 1}, {"text", 2}}}}, "! the client answered without a text"},
      {json::object(), "! the client answered without a text"},
      {json::array(), "! the client answered without a text"},
      {json(nullptr), "! the client answered without a text"},
  };
  for (const auto& [result, expected] : cases) {
    INFO(result.dump());
    ask();
    respond(result);
    CHECK(got == expected);
  }
  ask();
  respond(base::Error{"the peer answered with an error: User rejected"});
  CHECK(got == "! the peer answered with an error: User rejected");
  CHECK(stops == 0);
  cancel();
  CHECK(stops == 1);
}
