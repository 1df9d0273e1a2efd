#pragma once
// The sockets under libcurl's connections. libcurl connects them, to a Unix socket or by TCP; where the target is a
// command, it connects to a meeting point of ours, and the command gets the other end as its stdin and stdout.
//
// Why not a connected pair of sockets (CURL_SOCKOPT_ALREADY_CONNECTED): libcurl 7.88 connects them all the same, and
// fails (curl issue 10626). Why not a name in the abstract namespace: 7.88 never uses such connections again.
//
// One thread at a time. libcurl calls open() and close(); the dialer must outlive the connections it opened.

#include <map>
#include <optional>
#include <string>

#include "base/process.h"
#include "http/client.h"

namespace bashcell::http {

class Dialer {
 public:
  explicit Dialer(Target target) : target_(std::move(target)) {}
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;
  // Ends every command that is left.
  ~Dialer();

  const Target& target() const { return target_; }

  // For a command: the path of the Unix socket that libcurl is to connect to. It is one of /proc/self/fd, and leads
  // nowhere for other processes. Empty: there is none, open() will say why.
  std::string meeting_point();
  // To be called after libcurl had a chance to connect: starts the command for a connection that waits at the meeting
  // point. Never blocks.
  void serve();

  // A new close-on-exec socket, or -1, and then failure() says why. The arguments are those of socket(2).
  int open(int family, int type, int protocol);
  // Closes a socket of open(); a command at its other end is ended: it gets SIGTERM unless it goes by itself at once,
  // and soon after SIGKILL. Blocks for that (less than half a second).
  void close(int fd);
  // Sets last_words() to those of the command at the other end, which is not ended. Waits up to 0.1 s for its own end.
  void listen(int fd);

  // Why there is no connection, as a clause about the server.
  const std::optional<base::Error>& failure() const { return failure_; }
  // What the command that was closed or listened to last had to say: the last line of its stderr, or how it ended when
  // it ended by itself and not well. Empty: nothing, or there was none.
  const std::string& last_words() const { return last_words_; }
  // Forgets both.
  void clear();

 private:
  struct Command {
    base::Child child;
    base::UniqueFd errors;  // what it writes to stderr: the first 64 KB
  };

  base::Result<void> make_meeting_point();
  base::Result<void> start_command(base::UniqueFd connection);
  void hear(Command& command);
  void end(Command command);

  Target target_;
  base::UniqueFd meeting_;           // listens at the meeting point
  base::UniqueFd door_;              // the socket's file, which has no name any more
  int unserved_ = -1;                // libcurl's end of the connection that has no command yet
  std::map<int, Command> commands_;  // by libcurl's end, which is libcurl's to close
  std::optional<base::Error> failure_;
  std::string last_words_;
};

}  // namespace bashcell::http
