#pragma once
// Cuts a byte stream into lines, in bounded memory whatever the stream holds.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace bashcell::rpc {

class LineSplitter {
 public:
  struct Sink {
    std::function<void(std::string_view line)> on_line;  // without "\n" or "\r\n"
    std::function<void()> on_oversize;                   // once per line that is dropped, as soon as that is known
  };

  // Memory stays under twice `max_line_bytes` plus a piece.
  LineSplitter(size_t max_line_bytes, Sink sink);

  // Takes the next piece; calls the sink for every line that ends in it. Amortised O(piece).
  void add(std::string_view piece);
  // The stream has ended: a last line without a newline counts.
  void finish();

 private:
  void emit(std::string_view line) const;

  size_t max_line_bytes_;
  Sink sink_;
  std::string partial_;    // the beginning of a line whose end has not come
  bool dropping_ = false;  // inside an oversized line
};

}  // namespace bashcell::rpc
