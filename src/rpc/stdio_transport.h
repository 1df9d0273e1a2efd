#pragma once
// The transport of MCP over stdio: newline-terminated lines on two descriptors, which may be pipes, sockets, terminals,
// regular files or /dev/null.
//
// The descriptors are shared with other processes, so they are left in blocking mode; reads and writes are sized and
// timed so that they do not block. SIGPIPE must be ignored.

#include <string>

#include "base/event_loop.h"
#include "rpc/line_splitter.h"
#include "rpc/transport.h"

namespace bashcell::rpc {

class StdioTransport final : public Transport {
 public:
  // The descriptors stay the caller's and must be open, and different numbers, while this lives.
  StdioTransport(base::EventLoop& loop, int input, int output);
  ~StdioTransport() override;

  void start(TransportEvents events) override;
  void send(std::string_view line) override;
  size_t unsent() const override { return queue_.size() - written_; }

 private:
  void read_some();
  void end_input();
  void set_reading(bool on);
  void on_output_ready(short revents);
  void flush();
  void fail(base::Error error);

  base::EventLoop& loop_;
  int input_;
  int output_;
  bool output_is_socket_ = false;
  TransportEvents events_;
  LineSplitter lines_;
  bool started_ = false;
  bool input_ended_ = false;
  bool reading_ = false;
  bool failed_ = false;
  std::string queue_;  // what is sent and not written yet begins at written_
  size_t written_ = 0;
  base::EventLoop::TimerId failure_event_ = 0;
};

}  // namespace bashcell::rpc
