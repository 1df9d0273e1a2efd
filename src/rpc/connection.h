#pragma once
// JSON-RPC 2.0 over a transport: lines in, requests with the duty to answer them out. It sees to it that every request
// gets one answer, that unreadable input gets an error, and that a batch gets one array. It knows no methods.

#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/log.h"
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

  // Requests that wait for their answer.
  size_t in_flight() const;
  // All is answered, and all answers are written.
  bool idle() const;

 private:
  struct State;
  class BatchAnswer;

  void on_line(std::string_view line);
  void on_request(Request& request, const std::shared_ptr<BatchAnswer>& batch);
  void refuse(const Invalid& invalid, BatchAnswer* batch);

  std::shared_ptr<State> state_;
  ConnectionEvents events_;
  base::Log log_;
};

}  // namespace bashcell::rpc
