#pragma once
// What processes of scripts ask of the host through PID 1: `cell heal NAME` and its like, over an abstract socket.
//
// The socket is bound before any script starts, so no script can take its name; it exists in the cell's network
// namespace only (unix(7)), and whoever is not seen in PID 1's process namespace is not heard. Each connection is one
// question and one answer, a packet each; packed_question() makes one. Whoever asks is a process of some call: its
// credentials say which (SO_PEERCRED; the kernel translates the pid). PID 1 never waits for any of them.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "wire/messages.h"

namespace bashcell::supervisor {

// The one verb that PID 1 answers by itself: the shell state is its own (`cell reset`). All others are the host's.
inline constexpr std::string_view kResetVerb = "reset";

// The socket's name, for the supervisor with that run folder.
std::string ask_socket(std::string_view run_folder);

// The client's side. Blocks until the answer is there. An error when nobody listens, or the question is not taken
// (kMaxAskBytes, kMaxAskBody; too many at once). `words`: the verb and its arguments, valid UTF-8.
base::Result<wire::Answer> ask(const std::string& socket, const std::vector<std::string>& words,
                               std::string_view body = {});

// A packet: the size of the words in digits, then the words, a NUL behind each of these, then the body.
std::string packed_question(const std::vector<std::string>& words, std::string_view body);
// Nothing when it is none: whoever asks is not trusted. The id and the call are not set.
std::optional<wire::Ask> unpacked_question(std::string_view packet);

class Asks {
 public:
  struct Events {
    // A question has come; `call` is not set yet. Answered with answer(), or never.
    std::function<void(wire::Ask, pid_t from)> on_ask;
    // Whoever asked it has gone, or it was answered. Once for each on_ask, but never from the destructor.
    std::function<void(uint64_t id)> on_over;
  };

  Asks(base::EventLoop& loop, Events events) : loop_(loop), events_(std::move(events)) {}
  Asks(const Asks&) = delete;
  Asks& operator=(const Asks&) = delete;
  ~Asks();

  base::Result<void> listen(const std::string& socket);
  // Unknown ids are ignored: who asked may have ended.
  void answer(const wire::Answer& answer);

 private:
  struct Open {
    base::UniqueFd socket;
    bool asked = false;
  };

  void on_connection();
  void on_packet(uint64_t id);
  void close(uint64_t id);

  base::EventLoop& loop_;
  Events events_;
  base::UniqueFd listening_;
  std::map<uint64_t, Open> open_;
  uint64_t last_id_ = 0;
};

}  // namespace bashcell::supervisor
