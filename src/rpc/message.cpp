#include "rpc/message.h"

#include <utility>

#include "base/json_shape.h"

namespace bashcell::rpc {

namespace {

using nlohmann::json;

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

bool is_valid_id(const json& id) { return id.is_string() || id.is_number_integer(); }

Invalid invalid(Id id, std::string why) {
  return {std::move(id), {kInvalidRequest, "Invalid request: " + std::move(why)}};
}

Response read_response(json& value, const Id& id) {
  Response response{id, nullptr, std::nullopt};
  if (const auto error = value.find("error"); error != value.end()) {
    const bool says = error->is_object() && error->contains("message") && (*error)["message"].is_string();
    response.error = says ? (*error)["message"].get<std::string>() : std::string();
  } else {
    response.result = std::move(value["result"]);
  }
  return response;
}

Message read_message(json&& value, bool in_batch) {
  if (!value.is_object()) return invalid(nullptr, "a message must be an object");
  const auto id = value.find("id");
  const bool has_id = id != value.end();
  const Id echo = has_id && is_valid_id(*id) ? Id(*id) : Id(nullptr);
  const auto method = value.find("method");
  if (method == value.end()) {
    if (value.contains("result") || value.contains("error")) return read_response(value, echo);
    return invalid(echo, "no method");
  }
  if (const auto version = value.find("jsonrpc"); version == value.end() || *version != "2.0") {
    return invalid(echo, "jsonrpc must be \"2.0\"");
  }
  if (!method->is_string()) return invalid(echo, "method must be a string");
  if (has_id && !is_valid_id(*id)) return invalid(nullptr, "id must be a string or an integer");

  json params;
  if (const auto found = value.find("params"); found != value.end()) params = std::move(*found);
  std::string& name = method->get_ref<std::string&>();
  if (!has_id) return Notification{std::move(name), std::move(params)};
  return Request{echo, std::move(name), std::move(params), in_batch};
}

Incoming single(Message message) {
  Incoming incoming;
  incoming.messages.push_back(std::move(message));
  return incoming;
}

}  // namespace

std::string id_key(const Id& id) { return text_of(id); }

Incoming parse_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
  const base::JsonShape shape = base::json_shape(line);
  if (shape.depth > kMaxDepth) return single(invalid(nullptr, "nested too deeply"));
  if (shape.elements > kMaxElements) return single(invalid(nullptr, "too many values"));
  json value = json::parse(line, nullptr, false);
  if (value.is_discarded())
    return single(Invalid{nullptr, {kParseError, "Parse error: the line is not JSON in UTF-8"}});
  if (!value.is_array()) return single(read_message(std::move(value), false));
  if (value.empty()) return single(invalid(nullptr, "an empty batch"));
  Incoming incoming;
  incoming.batch = true;
  for (json& element : value) incoming.messages.push_back(read_message(std::move(element), true));
  return incoming;
}

std::string result_line(const Id& id, const json& result) {
  return R"({"jsonrpc":"2.0","id":)" + text_of(id) + R"(,"result":)" + text_of(result) + "}";
}

std::string error_line(const Id& id, const ErrorObject& error) {
  json body = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return R"({"jsonrpc":"2.0","id":)" + text_of(id) + R"(,"error":)" + text_of(body) + "}";
}

std::string request_line(const Id& id, const std::string& method, const json& params) {
  return R"({"jsonrpc":"2.0","id":)" + text_of(id) + R"(,"method":)" + text_of(method) + R"(,"params":)" +
         text_of(params) + "}";
}

std::string notification_line(const std::string& method, const json& params) {
  return R"({"jsonrpc":"2.0","method":)" + text_of(method) + R"(,"params":)" + text_of(params) + "}";
}

}  // namespace bashcell::rpc
