#pragma once
// A child program under test: lines to its stdin, lines from its stdout, its stderr kept, and its events.
//
// Blocking, for test tools and `bashcell replay`, not for the server. Every wait has a deadline, and serves all streams
// while it waits, so that a program that floods one of them cannot lock up the other. SIGPIPE must be ignored.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/process.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "rpc/line_splitter.h"

namespace bashcell::rpc {

class PlayedProgram {
 public:
  struct Options {
    std::vector<std::string> argv;         // argv[0] is a path
    std::vector<std::string> environment;  // "NAME=value"
    // Gives the program a pipe to report events on, a line each: descriptor 3, which BASHCELL_EVENT_FD names.
    bool with_events = false;
  };

  static base::Result<std::unique_ptr<PlayedProgram>> start(const Options& options);
  PlayedProgram(const PlayedProgram&) = delete;
  PlayedProgram& operator=(const PlayedProgram&) = delete;
  // Kills it if it still runs.
  ~PlayedProgram();

  // False when the program did not take all of it in time.
  bool write(const std::string& bytes, base::Instant deadline);
  void close_input() { input_.reset(); }
  // The next line of stdout; nothing when none came in time, or stdout has ended.
  std::optional<std::string> next_line(base::Instant deadline);
  // Passes over other events. False when it did not come in time.
  bool await_event(const std::string& name, base::Instant deadline);
  // Waits for its end and takes what it had written. Nothing when it did not end in time.
  std::optional<base::ExitStatus> wait_exit(base::Instant deadline);

  // Lines that have come and were not taken.
  const std::deque<std::string>& waiting_lines() const { return lines_; }
  bool output_ended() const { return !output_.valid(); }
  // The last 256 KiB.
  const std::string& error_text() const { return error_text_; }

 private:
  PlayedProgram();

  // Serves the streams until `done` or the deadline; returns done().
  bool pump(const std::function<bool()>& done, base::Instant deadline);
  void poll_once(base::Duration timeout);
  void write_some();
  void read_all(base::UniqueFd& fd, const std::function<void(std::string_view)>& take);
  void read_streams();

  base::Child child_;
  base::UniqueFd exit_;  // a pidfd, readable when it has ended; invalid where the kernel has none
  base::UniqueFd input_;
  base::UniqueFd output_;
  base::UniqueFd errors_;
  base::UniqueFd events_;
  std::string pending_input_;
  std::deque<std::string> lines_;
  std::deque<std::string> reported_;
  std::string error_text_;
  LineSplitter line_splitter_;
  LineSplitter event_splitter_;
};

}  // namespace bashcell::rpc
