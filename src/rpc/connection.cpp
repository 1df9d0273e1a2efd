#include "rpc/connection.h"

#include <set>
#include <utility>

namespace bashcell::rpc {

// What open replies share with the connection, and may outlive it by.
struct Connection::State {
  Transport* transport = nullptr;  // null once the connection is gone
  std::set<std::string> open_ids;
  std::function<void()> on_idle;

  bool idle() const { return open_ids.empty() && (transport == nullptr || transport->unsent() == 0); }
  void send(std::string_view line) const {
    if (transport != nullptr) transport->send(line);
  }
  void close_id(const std::string& key) {
    open_ids.erase(key);
    if (transport != nullptr && on_idle && idle()) on_idle();
  }
};

// The one array that answers a batch: sent when the last of its requests is settled, and not at all when none has an
// answer (all were notifications, or cancelled).
class Connection::BatchAnswer {
 public:
  explicit BatchAnswer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  BatchAnswer(const BatchAnswer&) = delete;
  BatchAnswer& operator=(const BatchAnswer&) = delete;
  // Every open request of the batch holds a share of this: it goes when the last is settled.
  ~BatchAnswer() {
    if (!answers_.empty()) state_->send("[" + answers_ + "]");
  }

  void add(const std::string& answer) {
    if (!answers_.empty()) answers_ += ',';
    answers_ += answer;
  }

 private:
  std::shared_ptr<State> state_;
  std::string answers_;
};

Connection::Connection(Transport& transport, base::Log log) : state_(std::make_shared<State>()), log_(log) {
  state_->transport = &transport;
}

Connection::~Connection() { state_->transport = nullptr; }

void Connection::start(ConnectionEvents events) {
  events_ = std::move(events);
  state_->on_idle = events_.on_idle;
  TransportEvents incoming;
  incoming.on_line = [this](std::string_view line) { on_line(line); };
  incoming.on_oversize = [this] {
    log_.info("dropped a line that is too long");
    refuse({nullptr, {kInvalidRequest, "Invalid request: a line over " + std::to_string(kMaxLineBytes) + " bytes"}},
           nullptr);
  };
  incoming.on_end = [this] {
    fail_questions("the client has closed the connection");
    if (events_.on_end) events_.on_end();
  };
  incoming.on_write_failure = [this](const base::Error& error) {
    fail_questions("the client does not read any more");
    if (events_.on_write_failure) events_.on_write_failure(error);
  };
  incoming.on_drained = [this] {
    if (events_.on_idle && idle()) events_.on_idle();
  };
  state_->transport->start(std::move(incoming));
}

void Connection::notify(const std::string& method, const nlohmann::json& params) {
  state_->send(notification_line(method, params));
}

bool Connection::can_ask() const { return !ended_; }

std::string Connection::ask(const std::string& method, const nlohmann::json& params, OnAnswer on_answer) {
  std::string id = "bashcell-" + std::to_string(++last_question_);
  questions_.emplace(id, std::move(on_answer));  // before it is sent: its answer finds it
  state_->send(request_line(id, method, params));
  return id;
}

void Connection::forget(const std::string& id) { questions_.erase(id); }

size_t Connection::in_flight() const { return state_->open_ids.size(); }

bool Connection::idle() const { return state_->idle(); }

void Connection::on_line(std::string_view line) {
  Incoming incoming = parse_line(line);
  if (incoming.batch && !(events_.batches_allowed && events_.batches_allowed())) {
    refuse({nullptr, {kInvalidRequest, "Invalid request: batches are not part of this protocol version"}}, nullptr);
    return;
  }
  const std::shared_ptr<BatchAnswer> batch = incoming.batch ? std::make_shared<BatchAnswer>(state_) : nullptr;
  for (Message& message : incoming.messages) {
    if (auto* const request = std::get_if<Request>(&message)) {
      on_request(*request, batch);
    } else if (const auto* const notification = std::get_if<Notification>(&message)) {
      if (events_.on_notification) events_.on_notification(*notification);
    } else if (const auto* const invalid = std::get_if<Invalid>(&message)) {
      refuse(*invalid, batch.get());
    } else {
      on_response(std::get<Response>(message));
    }
  }
}

void Connection::on_response(Response& response) {
  const auto found = response.id.is_string() ? questions_.find(response.id.get<std::string>()) : questions_.end();
  if (found == questions_.end()) {
    log_.debug("ignored an answer to a request that was never sent, or waits no more");
    return;
  }
  const OnAnswer on_answer = std::move(found->second);
  questions_.erase(found);
  if (response.error) {
    on_answer(base::Error{"the peer answered with an error: " + *response.error});
  } else {
    on_answer(std::move(response.result));
  }
}

void Connection::fail_questions(const std::string& why) {
  ended_ = true;
  // One by one: what is told may forget another.
  while (!questions_.empty()) questions_.extract(questions_.begin()).mapped()(base::Error{why});
}

void Connection::on_request(Request& request, const std::shared_ptr<BatchAnswer>& batch) {
  const std::string key = id_key(request.id);
  if (!state_->open_ids.insert(key).second) {
    // Without the id: an answer with it would be taken for the answer of the request that is still open.
    refuse({nullptr, {kInvalidRequest, "Invalid request: id " + key.substr(0, 100) + " is in use"}}, batch.get());
    return;
  }
  Reply reply(request.id, [state = state_, batch = batch, key](std::optional<std::string> line) mutable {
    if (line && batch) batch->add(*line);
    if (line && !batch) state->send(*line);
    batch.reset();
    state->close_id(key);
  });
  if (events_.on_request) events_.on_request(request, std::move(reply));
}

void Connection::refuse(const Invalid& invalid, BatchAnswer* batch) {
  log_.info("refused a message: " + std::to_string(invalid.error.code));
  const std::string line = error_line(invalid.id, invalid.error);
  if (batch != nullptr) {
    batch->add(line);
  } else {
    state_->send(line);
  }
}

}  // namespace bashcell::rpc
