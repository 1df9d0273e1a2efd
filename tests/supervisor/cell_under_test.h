#pragma once
// One bashcell-init as a plain child, spoken to in frames: sends scripts, waits for Done. Every wait has a deadline.

#include <functional>
#include <string>
#include <string_view>

#include "base/process.h"
#include "wire/messages.h"

namespace bashcell::testing {

class CellUnderTest {
 public:
  // Starts it and exchanges the greetings.
  explicit CellUnderTest(int64_t lease_ms = 60'000);
  CellUnderTest(const CellUnderTest&) = delete;
  CellUnderTest& operator=(const CellUnderTest&) = delete;
  // Closes the stream and checks that the supervisor and all it started are gone.
  ~CellUnderTest();

  // Does not wait. Returns the call's id.
  uint64_t start(const std::string& script, base::Duration timeout = base::Duration(20'000));
  void send(wire::HostMessage message);
  void send_bytes(std::string_view bytes);
  void cancel(uint64_t id) { send(wire::Cancel{id}); }
  // The next Done, whichever call it is of.
  wire::Done next_done();
  wire::CellMessage next_message();
  // The next message, which must be a question.
  wire::Ask next_ask();
  wire::Done run(const std::string& script, base::Duration timeout = base::Duration(20'000));
  std::string output_of(const std::string& script) { return run(script).output; }
  // True when it ends within the deadline.
  bool ends();
  void close() { control_.reset(); }

  const wire::CellFacts& facts() const { return hello_.facts; }
  const std::string& folder() const { return folder_; }
  pid_t pid() const { return child_.pid(); }
  int64_t max_chars = 7'500;
  std::string filter;       // of the scripts that are started from now on
  int64_t progress_ms = 0;  // the same

 private:
  std::string folder_;
  base::UniqueFd control_;
  base::Child child_;
  wire::FrameDecoder decoder_;
  wire::CellHello hello_;
  uint64_t last_id_ = 0;
};

// Waits until `condition` holds; false after ten seconds.
bool eventually(const std::function<bool()>& condition);
bool exists(const std::string& path);
// Whether a live (not zombie) process has `text` in its command line.
bool process_with(const std::string& text);

}  // namespace bashcell::testing
