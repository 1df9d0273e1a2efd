#pragma once
// Endpoints of models over HTTP, in the two styles there are: where they are, what they are sent, what they answer.
// Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "heal/repair_model.h"
#include "http/client.h"

namespace bashcell::heal {

struct Endpoint {
  enum class Style { kOpenAi, kAnthropic };
  Style style = Style::kOpenAi;
  http::Target target;
  std::string path;  // with its query
};

inline constexpr size_t kMaxModelAnswer = size_t{1} << 20;

// https://HOST[:PORT]/...; plain http only to this machine (localhost, 127.0.0.1, [::1]). The path ends with
// /chat/completions (OpenAI's style) or /v1/messages (Anthropic's). An error says what is wrong with the text and what
// is allowed; it does not repeat a password in it.
base::Result<Endpoint> parse_endpoint(std::string_view url);

// `key` may be empty: none is sent. `model` may be empty only in OpenAI's style: the endpoint chooses.
http::Request endpoint_request(const Endpoint& endpoint, const std::string& model, const std::string& key,
                               const Question& question);

// What the model said. Errors are one line: the status and what the endpoint says, or that it makes no sense.
base::Result<std::string> endpoint_text(const Endpoint& endpoint, const http::Response& response);

}  // namespace bashcell::heal
