#include "rpc/line_splitter.h"

#include <utility>

namespace bashcell::rpc {

LineSplitter::LineSplitter(size_t max_line_bytes, Sink sink)
    : max_line_bytes_(max_line_bytes), sink_(std::move(sink)) {}

void LineSplitter::add(std::string_view piece) {
  while (!piece.empty()) {
    const size_t newline = piece.find('\n');
    const bool ends = newline != std::string_view::npos;
    const std::string_view part = piece.substr(0, newline);
    piece.remove_prefix(ends ? newline + 1 : piece.size());
    if (!dropping_ && partial_.size() + part.size() > max_line_bytes_) {
      dropping_ = true;
      std::string().swap(partial_);
      sink_.on_oversize();
    }
    if (dropping_) {
      dropping_ = !ends;
    } else if (!ends) {
      partial_ += part;
    } else if (partial_.empty()) {
      emit(part);  // the usual case: a whole line in one read, not copied
    } else {
      partial_ += part;
      // Taken out first: a line may be megabytes, and they are given back when it has been served.
      emit(std::exchange(partial_, {}));
    }
  }
}

void LineSplitter::finish() {
  dropping_ = false;
  if (!partial_.empty()) emit(std::exchange(partial_, {}));
}

void LineSplitter::emit(std::string_view line) const {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  sink_.on_line(line);
}

}  // namespace bashcell::rpc
