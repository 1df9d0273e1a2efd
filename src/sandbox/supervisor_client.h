#pragma once
// The host's end of the conversation with one supervisor: frames over the cell's stream, and the lease.
//
// Everything that comes from the cell is untrusted: a bad frame, an unknown message or one over its limits is an end.

#include <functional>
#include <string>

#include "base/event_loop.h"
#include "engine/stream.h"
#include "wire/messages.h"

namespace bashcell::sandbox {

inline constexpr base::Duration kPingInterval{5'000};
inline constexpr base::Duration kLease{15'000};

struct SupervisorEvents {
  std::function<void(wire::CellHello)> on_hello;
  std::function<void(wire::Done)> on_done;
  std::function<void(wire::Ask)> on_ask;
  std::function<void(wire::Progress)> on_progress;
  // The stream has ended, or was ended for what came over it. Once, and nothing after it. Never from inside send().
  std::function<void(std::string why)> on_end;
};

class SupervisorClient {
 public:
  // `stream` must outlive this.
  SupervisorClient(base::EventLoop& loop, engine::Stream& stream, SupervisorEvents events);
  SupervisorClient(const SupervisorClient&) = delete;
  SupervisorClient& operator=(const SupervisorClient&) = delete;
  ~SupervisorClient();

  // Never blocks: what the cell does not take yet is kept. False: the stream has ended, and nothing of the message can
  // have arrived whole.
  bool send(wire::HostMessage message);
  // Looks whether the stream has ended, without waiting for the loop's next turn.
  bool ended();

 private:
  void receive();
  void handle(wire::CellMessage message);
  void flush();
  void ping();
  void end(std::string why);

  base::EventLoop& loop_;
  engine::Stream& stream_;
  SupervisorEvents events_;
  wire::FrameDecoder decoder_;
  std::string queue_;
  base::EventLoop::TimerId ping_timer_ = 0;
  base::EventLoop::TimerId end_timer_ = 0;
  bool greeted_ = false;
  bool ended_ = false;
};

}  // namespace bashcell::sandbox
