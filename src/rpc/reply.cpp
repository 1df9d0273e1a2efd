#include "rpc/reply.h"

#include <utility>

namespace bashcell::rpc {

Reply::Reply(Reply&& other) noexcept
    : id_(std::exchange(other.id_, nullptr)), sink_(std::exchange(other.sink_, nullptr)) {}

Reply& Reply::operator=(Reply&& other) noexcept {
  if (this == &other) return *this;
  Reply dropped(std::move(*this));
  id_ = std::exchange(other.id_, nullptr);
  sink_ = std::exchange(other.sink_, nullptr);
  return *this;
}

Reply::~Reply() {
  if (open()) error({kInternalError, "Internal error: the request was dropped without an answer"});
}

void Reply::result(const nlohmann::json& result) {
  if (open()) settle(result_line(id_, result));
}

void Reply::error(const ErrorObject& error) {
  if (open()) settle(error_line(id_, error));
}

void Reply::abandon() {
  if (open()) settle(std::nullopt);
}

void Reply::settle(std::optional<std::string> line) {
  // Emptied first: whatever the sink does, this reply is settled.
  const Sink sink = std::exchange(sink_, nullptr);
  sink(std::move(line));
}

}  // namespace bashcell::rpc
