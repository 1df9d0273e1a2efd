#include "supervisor/control.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace bashcell::supervisor {

Control::Control(base::EventLoop& loop, base::UniqueFd input, base::UniqueFd output)
    : loop_(loop), input_(std::move(input)), output_(std::move(output)) {
  for (const base::UniqueFd* fd : {&input_, &output_}) {
    if (!base::set_nonblocking(fd->get(), true)) ended_ = true;
  }
}

Control::~Control() {
  loop_.unwatch(input_.get());
  loop_.unwatch(output_.get());
}

void Control::listen(std::function<void(wire::HostMessage)> on_message, std::function<void()> on_end) {
  on_message_ = std::move(on_message);
  on_end_ = std::move(on_end);
  loop_.watch(input_.get(), POLLIN, [this](short) { on_readable(); });
}

void Control::on_readable() {
  std::array<char, 65536> buffer;  // NOLINT: filled by read()
  const ssize_t n = ::read(input_.get(), buffer.data(), buffer.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return fail();
  decoder_.add({buffer.data(), static_cast<size_t>(n)});
  while (!ended_) {
    base::Result<std::optional<wire::Frame>> frame = decoder_.next();
    if (!frame) return fail();
    if (!*frame) return;
    base::Result<wire::HostMessage> message = wire::host_message(std::move(**frame));
    if (!message) return fail();
    on_message_(std::move(*message));
  }
}

void Control::send(wire::CellMessage message) {
  if (ended_) return;
  queue_ += wire::encode(wire::to_frame(std::move(message)));
  flush();
}

void Control::flush() {
  while (!queue_.empty()) {
    const ssize_t n = ::write(output_.get(), queue_.data(), queue_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return fail();
    queue_.erase(0, static_cast<size_t>(n));
  }
  // The output is always a duplicate, with a number of its own, so that it can be watched beside the input.
  if (queue_.empty()) {
    loop_.unwatch(output_.get());
  } else {
    loop_.watch(output_.get(), POLLOUT, [this](short) { flush(); });
  }
}

void Control::fail() {
  if (std::exchange(ended_, true)) return;
  loop_.unwatch(input_.get());
  loop_.unwatch(output_.get());
  if (on_end_) on_end_();
}

}  // namespace bashcell::supervisor
