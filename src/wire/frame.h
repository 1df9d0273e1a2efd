#pragma once
// The framing between host and supervisor: two 4-byte little-endian lengths, a JSON header, raw bytes.
//
// JSON text is parsed iteratively and depth-capped (a recursive binary decoder can be crashed by nesting); the raw part
// carries scripts and output without escaping. Each side treats the other as hostile: every length is checked before
// it is believed, and after a bad frame nothing more is decoded.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace bashcell::wire {

inline constexpr size_t kMaxHeaderBytes = size_t{64} * 1024;
inline constexpr size_t kMaxBodyBytes = size_t{16} * 1024 * 1024;  // above the 8 MiB line cap of the transport
inline constexpr int kMaxHeaderDepth = 8;

struct Frame {
  nlohmann::json header;  // always an object
  std::string body;
};

// The header must be an object within the limits above; the text in it valid UTF-8.
std::string encode(const Frame& frame);

// Cuts a byte stream into frames. Memory: at most one frame plus what was added last.
class FrameDecoder {
 public:
  void add(std::string_view bytes);
  // The next whole frame; nothing if more bytes are needed. After an error every further call gives that error.
  base::Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  size_t start_ = 0;  // what lies before it has been consumed
  std::optional<base::Error> broken_;
};

// True if no '[' or '{' outside strings is nested deeper than `max_depth`. Linear, no recursion.
bool depth_within(std::string_view json_text, int max_depth);

}  // namespace bashcell::wire
