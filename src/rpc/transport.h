#pragma once
// Lines to and from the one peer of this process. Knows nothing of JSON.
//
// Single-threaded; all events come on the event loop's thread, none from inside start() or send().

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace bashcell::rpc {

// A longer line is dropped up to its newline, in bounded memory.
inline constexpr size_t kMaxLineBytes = 8 * 1024 * 1024;

struct TransportEvents {
  // A line without its newline and without a trailing carriage return. The text lives until the call returns.
  std::function<void(std::string_view line)> on_line;
  // A line over kMaxLineBytes is being dropped. Once per such line.
  std::function<void()> on_oversize;
  // End of input, after the last line (which is served even without a newline). Once; no line follows.
  std::function<void()> on_end;
  // The peer does not read any more. Once; what is sent from then on is dropped.
  std::function<void(const base::Error& error)> on_write_failure;
  // Everything sent so far has been written, after some of it had to wait.
  std::function<void()> on_drained;
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  // Once, before send(). Events that are not set are ignored.
  virtual void start(TransportEvents events) = 0;
  // `line` has no newline. Never blocks: what cannot be written now is kept and written when the peer reads.
  virtual void send(std::string_view line) = 0;
  // Bytes kept by send() that are not written yet.
  virtual size_t unsent() const = 0;
};

}  // namespace bashcell::rpc
