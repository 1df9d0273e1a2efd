#include "heal/model_endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/json_shape.h"
#include "heal/model_text.h"
#include "http/shown.h"

namespace bashcell::heal {

namespace {

using nlohmann::json;

constexpr std::string_view kAllowed =
    "allowed is https://HOST[:PORT]/PATH (http only to localhost) where the path ends with /chat/completions or "
    "/v1/messages";

base::Error bad_url(const std::string& why) { return {fmt::format("{}; {}", why, kAllowed)}; }

bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
  return host == "localhost" || host == "::1";
}

bool is_host(std::string_view host, bool in_brackets) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kV6 = "0123456789abcdefABCDEF:.";
  return !host.empty() && host[0] != '-' && std::all_of(host.begin(), host.end(), [&](char c) {
    if (in_brackets) return kV6.find(c) != std::string_view::npos;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || kDigits.find(c) != std::string_view::npos || c == '.' || c == '-';
  });
}

// HOST, HOST:PORT, [V6]:PORT into the target.
base::Result<void> read_authority(std::string_view authority, http::Target& target) {
  if (authority.find('@') != std::string_view::npos) return bad_url("the URL must not hold a user or a password");
  const bool in_brackets = authority.starts_with('[');
  const size_t end = in_brackets ? authority.find(']') : std::min(authority.find(':'), authority.size());
  if (end == std::string_view::npos) return bad_url("the URL's host is not complete");
  target.host = authority.substr(in_brackets ? 1 : 0, in_brackets ? end - 1 : end);
  if (!is_host(target.host, in_brackets)) return bad_url("the URL has no good host");
  std::string_view port = authority.substr(in_brackets ? end + 1 : end);
  if (port.empty()) return {};
  const auto [last, error] = std::from_chars(port.data() + 1, port.data() + port.size(), target.port);
  const bool good = port[0] == ':' && error == std::errc() && last == port.data() + port.size();
  if (!good || target.port < 1 || target.port > 65535) return bad_url("the URL's port is not between 1 and 65535");
  return {};
}

std::optional<json> read_json(std::string_view body) {
  constexpr size_t kMaxDepth = 64;
  constexpr size_t kMaxElements = 100'000;
  const base::JsonShape shape = base::json_shape(body);
  if (shape.depth > kMaxDepth || shape.elements > kMaxElements) return std::nullopt;
  json value = json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

// Member by member; nothing where one is missing.
const json* find(const json& value, std::initializer_list<const char*> names) {
  const json* at = &value;
  for (const char* name : names) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(name);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::string complaint(const http::Response& response) {
  constexpr size_t kMaxShown = 200;
  const std::optional<json> answer = read_json(response.body);
  if (!answer) return {};  // a page for people
  for (const json* said : {find(*answer, {"error", "message"}), find(*answer, {"message"}), find(*answer, {"error"})}) {
    if (said != nullptr && said->is_string()) return ": " + http::shown(said->get_ref<const std::string&>(), kMaxShown);
  }
  return {};
}

}  // namespace

base::Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr size_t kMaxUrl = 2000;
  const bool printable = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (url.size() > kMaxUrl || !printable) return bad_url("the URL is too long, or has blanks or odd characters");
  if (url.find('#') != std::string_view::npos) return bad_url("the URL has a fragment");
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://")) return bad_url("the URL begins with neither https:// nor http://");
  Endpoint endpoint;
  const size_t begin = secure ? 8 : 7;
  const size_t slash = std::min(url.find('/', begin), url.size());
  endpoint.target.name = url.substr(0, slash);
  endpoint.target.port = secure ? 443 : 80;
  endpoint.target.tls.enabled = secure;
  if (const auto read = read_authority(url.substr(begin, slash - begin), endpoint.target); !read) return read.error();
  if (!secure && !is_loopback(endpoint.target.host)) return bad_url("plain http leaves this machine");
  endpoint.path = url.substr(slash);
  const std::string_view path = std::string_view(endpoint.path).substr(0, endpoint.path.find('?'));
  if (path.ends_with("/v1/messages")) {
    endpoint.style = Endpoint::Style::kAnthropic;
  } else if (!path.ends_with("/chat/completions")) {
    return bad_url("the URL names no known kind of endpoint");
  }
  return endpoint;
}

http::Request endpoint_request(const Endpoint& endpoint, const std::string& model, const std::string& key,
                               const Question& question) {
  constexpr int kMaxTokens = 2048;
  const json user = {{"role", "user"}, {"content", question.text}};
  json body = {{"stream", false}};
  http::Request request;
  request.method = "POST";
  request.path = endpoint.path;
  request.max_body = kMaxModelAnswer;
  if (endpoint.style == Endpoint::Style::kAnthropic) {
    body["system"] = question.instructions;
    body["messages"] = json::array({user});
    body["max_tokens"] = kMaxTokens;
    request.headers.emplace_back("anthropic-version: 2023-06-01");
    if (!key.empty()) request.headers.push_back("x-api-key: " + key);
  } else {
    // No limit of tokens: servers differ in what it is called, and refuse what they do not know.
    body["messages"] = json::array({{{"role", "system"}, {"content", question.instructions}}, user});
    if (!key.empty()) request.headers.push_back("Authorization: Bearer " + key);
  }
  if (!model.empty()) body["model"] = model;
  request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  return request;
}

base::Result<std::string> endpoint_text(const Endpoint& endpoint, const http::Response& response) {
  constexpr size_t kMaxShown = 60;
  const std::string& name = endpoint.target.name;
  if (!response.good()) {
    return base::Error{fmt::format("the endpoint at {} answered {}{}", name, response.status, complaint(response))};
  }
  if (base::trimmed(response.body).empty())
    return base::Error{fmt::format("the endpoint at {} answered nothing", name)};
  const std::optional<json> answer = read_json(response.body);
  if (!answer) {
    return base::Error{fmt::format("the endpoint at {} did not answer with a JSON object: {}", name,
                                   http::shown(response.body, kMaxShown))};
  }
  const json* content = find(*answer, {"content"});
  if (endpoint.style == Endpoint::Style::kOpenAi) {
    const json* const choices = find(*answer, {"choices"});
    content = choices != nullptr && choices->is_array() && !choices->empty()
                  ? find(choices->front(), {"message", "content"})
                  : nullptr;
  }
  std::optional<std::string> text = content != nullptr ? content_text(*content) : std::nullopt;
  if (!text) return base::Error{fmt::format("the endpoint at {} answered without a text", name)};
  return std::move(*text);
}

}  // namespace bashcell::heal
