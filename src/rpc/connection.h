#pragma once
// JSON-RPC 2.0 over a transport: lines in, requests with the duty to answer them out. It sees to it that every request
// gets one answer, that unreadable input gets an error, and that a batch gets one array; and it finds the answers to
// requests of this side. It knows no methods.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/result.h"
#include "rpc/message.h"
#include "rpc/reply.h"
#include "rpc/transport.h"

namespace bashcell::rpc {

struct ConnectionEvents {
  std::function<void(const Request& request, Reply reply)> on_request;
  std::function<void(const Notification& notification)> on_notification;
  // Asked when an array arrives; unset means no.
  std::function<bool()> batches_allowed;
  std::function<void()> on_end;  // as the transport's
  std::function<void(const base::Error& error)> on_write_failure;
  // idle() has become true.
  std::function<void()> on_idle;
};

class Connection {
 public:
  // `transport` must outlive this, and give no event after it. Replies may outlive it: they then send nothing.
  Connection(Transport& transport, base::Log log);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void start(ConnectionEvents events);
  void notify(const std::string& method, const nlohmann::json& params);

  // The result, or what the error says ("the peer answered with an error: ...").
  using OnAnswer = std::function<void(base::Result<nlohmann::json> result)>;
  // Sends a request of this side and returns its id. `on_answer` is called once, never from inside ask(): with the
  // answer, or with an error when the peer has closed its end. A peer may never answer: the caller has a deadline of
  // its own, and calls forget(). Does not count for in_flight() and idle().
  // Only where can_ask(): the peer may still answer.
  bool can_ask() const;
  std::string ask(const std::string& method, const nlohmann::json& params, OnAnswer on_answer);
  // `on_answer` is not called any more; an answer that still comes is ignored. Unknown ids are no error.
  void forget(const std::string& id);

  // Requests of the peer that wait for their answer.
  size_t in_flight() const;
  // All is answered, and all answers are written.
  bool idle() const;

 private:
  struct State;
  class BatchAnswer;

  void on_line(std::string_view line);
  void on_response(Response& response);
  void fail_questions(const std::string& why);
  void on_request(Request& request, const std::shared_ptr<BatchAnswer>& batch);
  void refuse(const Invalid& invalid, BatchAnswer* batch);

  std::shared_ptr<State> state_;
  std::map<std::string, OnAnswer> questions_;  // by the id of our request
  uint64_t last_question_ = 0;
  bool ended_ = false;  // the peer sends nothing any more, or does not read
  ConnectionEvents events_;
  base::Log log_;
};

}  // namespace bashcell::rpc
