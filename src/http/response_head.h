#pragma once
// The status line and the few headers of an answer that decide where its body ends, and that body. For answers that are
// read by hand (upgrades); libcurl reads all others.

#include <optional>
#include <string>
#include <string_view>

namespace bashcell::http {

struct ResponseHead {
  long status = 0;
  std::optional<size_t> content_length;
  bool chunked = false;
  size_t size = 0;  // bytes up to and with the empty line
};

enum class HeadState { kIncomplete, kComplete, kGarbage };

// Looks at what has come so far. kGarbage as soon as it cannot become an answer in HTTP/1.0 or 1.1.
HeadState parse_head(std::string_view received, ResponseHead& head);

// What of the body is in `received` (the bytes after the head), without the chunks' frames; `complete` says whether it
// is all of it. A body without a stated length is complete only at the end of the connection.
std::string body_so_far(const ResponseHead& head, std::string_view received, bool& complete);

}  // namespace bashcell::http
