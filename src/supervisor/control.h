#pragma once
// The supervisor's end of the control stream: frames in, frames out, without blocking.

#include <functional>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "wire/messages.h"

namespace bashcell::supervisor {

class Control {
 public:
  // The two may be duplicates of one socket. Both are made non-blocking.
  Control(base::EventLoop& loop, base::UniqueFd input, base::UniqueFd output);
  Control(Control&&) = delete;
  ~Control();

  // `on_end`: the host has gone, or sent something that is no message. Nothing more comes after it.
  void listen(std::function<void(wire::HostMessage)> on_message, std::function<void()> on_end);
  // Queued when the host does not read; a write error is an end.
  void send(wire::CellMessage message);

 private:
  void on_readable();
  void flush();
  void fail();

  base::EventLoop& loop_;
  base::UniqueFd input_;
  base::UniqueFd output_;
  wire::FrameDecoder decoder_;
  std::string queue_;
  std::function<void(wire::HostMessage)> on_message_;
  std::function<void()> on_end_;
  bool ended_ = false;
};

}  // namespace bashcell::supervisor
