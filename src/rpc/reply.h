#pragma once
// The duty to answer one request exactly once.
//
// Move-only. Three misuses, and what becomes of them: answering twice, the second is ignored; dropping it unanswered,
// an internal error is sent (-32603), so that no request is ever forgotten; answering after abandon(), nothing is sent.

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "rpc/message.h"

namespace bashcell::rpc {

class Reply {
 public:
  // Called exactly once: with the line to send, or with nothing when the request was abandoned.
  using Sink = std::function<void(std::optional<std::string> line)>;

  Reply() = default;  // owes nothing
  Reply(Id id, Sink sink) : id_(std::move(id)), sink_(std::move(sink)) {}
  Reply(Reply&& other) noexcept;
  Reply& operator=(Reply&& other) noexcept;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply();

  const Id& id() const { return id_; }
  // An answer is still due.
  bool open() const { return sink_ != nullptr; }

  void result(const nlohmann::json& result);
  void error(const ErrorObject& error);
  // The request was cancelled: it gets no answer, ever.
  void abandon();

 private:
  void settle(std::optional<std::string> line);

  Id id_ = nullptr;
  Sink sink_;  // empty once settled
};

}  // namespace bashcell::rpc
