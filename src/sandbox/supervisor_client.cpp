#include "sandbox/supervisor_client.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "wire/version.h"

namespace bashcell::sandbox {

SupervisorClient::SupervisorClient(base::EventLoop& loop, engine::Stream& stream, SupervisorEvents events)
    : loop_(loop), stream_(stream), events_(std::move(events)) {
  loop_.watch(stream_.poll_fd(), POLLIN, [this](short revents) {
    if ((revents & POLLOUT) != 0) flush();
    if (!ended_) receive();
  });
  send(wire::HostHello{std::string(wire::kVersion), kLease.count()});
  ping_timer_ = loop_.after(kPingInterval, [this] { ping(); });
}

SupervisorClient::~SupervisorClient() {
  loop_.cancel(ping_timer_);
  loop_.cancel(end_timer_);
  loop_.unwatch(stream_.poll_fd());
}

void SupervisorClient::ping() {
  // A cell that does not take what is queued gets no more on top of it.
  if (queue_.empty()) send(wire::Ping{});
  ping_timer_ = loop_.after(kPingInterval, [this] { ping(); });
}

bool SupervisorClient::send(wire::HostMessage message) {
  if (ended_) return false;
  queue_ += wire::encode(wire::to_frame(std::move(message)));
  flush();
  return !ended_;
}

bool SupervisorClient::ended() {
  if (!ended_) receive();
  return ended_;
}

void SupervisorClient::flush() {
  while (!queue_.empty()) {
    const ssize_t n = stream_.send(queue_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return end("its control stream is closed");
    queue_.erase(0, static_cast<size_t>(n));
  }
  loop_.set_events(stream_.poll_fd(), queue_.empty() ? POLLIN : POLLIN | POLLOUT);
}

void SupervisorClient::receive() {
  std::array<char, 65536> buffer;  // NOLINT: filled by receive()
  for (;;) {
    const ssize_t n = stream_.receive(buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return end("its control stream failed");
    if (n == 0) return end("it ended");
    decoder_.add({buffer.data(), static_cast<size_t>(n)});
    for (;;) {
      base::Result<std::optional<wire::Frame>> frame = decoder_.next();
      if (!frame) return end("it sent a " + frame.error().message);
      if (!*frame) break;
      base::Result<wire::CellMessage> message = wire::cell_message(std::move(**frame));
      if (!message) return end("it sent a " + message.error().message);
      handle(std::move(*message));
      if (ended_) return;
    }
    if (static_cast<size_t>(n) < buffer.size()) return;
  }
}

void SupervisorClient::handle(wire::CellMessage message) {
  if (auto* hello = std::get_if<wire::CellHello>(&message)) {
    if (std::exchange(greeted_, true)) return end("it greeted twice");
    events_.on_hello(std::move(*hello));
  } else if (auto* done = std::get_if<wire::Done>(&message)) {
    if (!greeted_) return end("it answered before it greeted");
    events_.on_done(std::move(*done));
  } else if (auto* ask = std::get_if<wire::Ask>(&message)) {
    if (!greeted_) return end("it asked before it greeted");
    events_.on_ask(std::move(*ask));
  } else if (auto* progress = std::get_if<wire::Progress>(&message)) {
    if (!greeted_) return end("it told of a call before it greeted");
    events_.on_progress(std::move(*progress));
  }
}

void SupervisorClient::end(std::string why) {
  if (std::exchange(ended_, true)) return;
  loop_.unwatch(stream_.poll_fd());
  loop_.cancel(ping_timer_);
  // From the loop, since the owner will destroy this in the event.
  end_timer_ = loop_.after(base::Duration::zero(), [this, why = std::move(why)] { events_.on_end(why); });
}

}  // namespace bashcell::sandbox
