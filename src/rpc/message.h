#pragma once
// JSON-RPC 2.0 messages: one line of text to typed messages, and answers back to lines. Any bytes may come in; nothing
// here throws on them. It does not know what the methods mean.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace bashcell::rpc {

// A string or an integer, echoed with its type and value. null only in answers to unreadable requests.
using Id = nlohmann::json;

// Different for 7 and "7".
std::string id_key(const Id& id);

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

struct ErrorObject {
  int code = kInternalError;
  std::string message;
  nlohmann::json data = nullptr;  // null: left out
};

struct Request {
  Id id;
  std::string method;
  nlohmann::json params = nullptr;  // null when absent
  bool in_batch = false;
};

struct Notification {
  std::string method;
  nlohmann::json params = nullptr;
};

// The peer's answer to a request of ours, or a stray.
struct Response {
  Id id;  // null when it has none, or none that can be
  nlohmann::json result = nullptr;
  std::optional<std::string> error;  // its message; set: there is no result
};

// Cannot be served. The answer carries `id`: the request's own where it was readable, else null.
struct Invalid {
  Id id = nullptr;
  ErrorObject error;
};

using Message = std::variant<Request, Notification, Response, Invalid>;

// What one line holds: nothing (blank), one message, or the messages of an array. An empty array is one Invalid.
struct Incoming {
  bool batch = false;
  std::vector<Message> messages;
};

inline constexpr size_t kMaxDepth = 64;
// A parsed value costs up to 100 times its text: 8 MiB of "[],[],..." would take most of a gigabyte.
inline constexpr size_t kMaxElements = 100'000;

Incoming parse_line(std::string_view line);

// Lines to send, without the newline. Invalid UTF-8 in strings is replaced, so these do not throw either.
std::string result_line(const Id& id, const nlohmann::json& result);
std::string error_line(const Id& id, const ErrorObject& error);
std::string request_line(const Id& id, const std::string& method, const nlohmann::json& params);
std::string notification_line(const std::string& method, const nlohmann::json& params);

}  // namespace bashcell::rpc
