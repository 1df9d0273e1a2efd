#include "rpc/stdio_transport.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace bashcell::rpc {

namespace {

// poll's POLLOUT on a pipe promises room for PIPE_BUF bytes; more would block.
constexpr size_t kWriteBytes = 4096;
constexpr size_t kReadBytes = 64 * 1024;
// A client that sends but does not read is not read from beyond this.
constexpr size_t kMaxUnsent = 8 * 1024 * 1024;

}  // namespace

StdioTransport::StdioTransport(base::EventLoop& loop, int input, int output)
    : loop_(loop),
      input_(input),
      output_(output),
      lines_(kMaxLineBytes, {[this](std::string_view line) {
                               if (events_.on_line) events_.on_line(line);
                             },
                             [this] {
                               if (events_.on_oversize) events_.on_oversize();
                             }}) {
  struct stat info {};
  output_is_socket_ = ::fstat(output_, &info) == 0 && S_ISSOCK(info.st_mode);
}

StdioTransport::~StdioTransport() {
  if (!started_) return;
  loop_.unwatch(input_);
  loop_.unwatch(output_);
  loop_.cancel(failure_event_);
}

void StdioTransport::start(TransportEvents events) {
  events_ = std::move(events);
  started_ = true;
  // Watched even when nothing is queued: poll tells when the reader is gone.
  loop_.watch(output_, 0, [this](short revents) { on_output_ready(revents); });
  set_reading(true);
}

void StdioTransport::set_reading(bool on) {
  if (reading_ == on || input_ended_) return;
  reading_ = on;
  // Unwatched, not just without POLLIN: a hang-up is always reported and would spin.
  if (on) {
    loop_.watch(input_, POLLIN, [this](short) { read_some(); });
  } else {
    loop_.unwatch(input_);
  }
}

void StdioTransport::read_some() {
  std::array<char, kReadBytes> buffer;
  const ssize_t n = ::read(input_, buffer.data(), buffer.size());
  if (n > 0) {
    lines_.add({buffer.data(), static_cast<size_t>(n)});
    if (unsent() > kMaxUnsent) set_reading(false);
  } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
    end_input();  // an input that cannot be read has ended, too
  }
}

void StdioTransport::end_input() {
  set_reading(false);
  input_ended_ = true;
  lines_.finish();
  if (events_.on_end) events_.on_end();
}

void StdioTransport::send(std::string_view line) {
  if (failed_) return;
  const bool waiting = unsent() > 0;
  queue_ += line;
  queue_ += '\n';
  if (waiting) return;  // its turn comes with POLLOUT
  flush();
  if (unsent() > 0 && !failed_) loop_.set_events(output_, POLLOUT);
}

void StdioTransport::on_output_ready(short revents) {
  if ((revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    fail(base::Error{"the client has closed its end of stdout"});
    return;
  }
  flush();
  if (failed_ || unsent() > 0) return;
  loop_.set_events(output_, 0);
  set_reading(true);
  if (events_.on_drained) events_.on_drained();
}

// Writes as much as goes without blocking.
void StdioTransport::flush() {
  while (unsent() > 0) {
    pollfd entry{output_, POLLOUT, 0};
    if (::poll(&entry, 1, 0) <= 0) break;
    const size_t size = std::min(unsent(), kWriteBytes);
    const char* data = queue_.data() + written_;
    const ssize_t n =
        output_is_socket_ ? ::send(output_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL) : ::write(output_, data, size);
    if (n >= 0) {
      written_ += static_cast<size_t>(n);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      fail(base::errno_error("cannot write to the client"));
      return;
    }
  }
  if (written_ == queue_.size()) {
    written_ = 0;
    queue_.clear();
    if (queue_.capacity() > 4 * kReadBytes) queue_.shrink_to_fit();
  } else if (written_ > queue_.size() / 2) {
    queue_.erase(0, written_);
    written_ = 0;
  }
}

void StdioTransport::fail(base::Error error) {
  if (failed_) return;
  failed_ = true;
  std::string().swap(queue_);
  written_ = 0;
  loop_.unwatch(output_);
  // Told in the next turn: whoever called send() is not ready for it.
  failure_event_ = loop_.after(base::Duration(0), [this, error = std::move(error)] {
    if (events_.on_write_failure) events_.on_write_failure(error);
  });
}

}  // namespace bashcell::rpc
