#include "engine/docker/attach_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace bashcell::engine::docker {

namespace {

constexpr size_t kReadSize = 65'536;
constexpr size_t kMaxErrors = 4'000;
constexpr unsigned char kStdout = 1;
constexpr unsigned char kStderr = 2;

}  // namespace

AttachStream::AttachStream(std::unique_ptr<http::Connection> connection) : connection_(std::move(connection)) {}

bool AttachStream::demultiplex(char* buffer, size_t size, size_t& filled) {
  while (used_ < pending_.size() && filled < size) {
    if (header_bytes_ < header_.size()) {
      header_[header_bytes_++] = static_cast<unsigned char>(pending_[used_++]);
      if (header_bytes_ < header_.size()) continue;
      if (header_[0] > kStderr || header_[1] != 0 || header_[2] != 0 || header_[3] != 0) return false;
      piece_left_ = size_t{header_[4]} << 24 | size_t{header_[5]} << 16 | size_t{header_[6]} << 8 | header_[7];
      if (piece_left_ == 0) header_bytes_ = 0;
      continue;
    }
    size_t count = std::min(piece_left_, pending_.size() - used_);
    if (header_[0] == kStdout) {
      count = std::min(count, size - filled);
      std::memcpy(buffer + filled, pending_.data() + used_, count);
      filled += count;
    } else {
      errors_.append(pending_.data() + used_, std::min(count, kMaxErrors - errors_.size()));
    }
    used_ += count;
    piece_left_ -= count;
    if (piece_left_ == 0) header_bytes_ = 0;
  }
  return true;
}

ssize_t AttachStream::receive(char* buffer, size_t size) {
  size_t filled = 0;
  for (;;) {
    if (!demultiplex(buffer, size, filled)) {
      errno = EPROTO;
      return -1;
    }
    if (filled == size) return static_cast<ssize_t>(filled);
    pending_.resize(kReadSize);
    used_ = 0;
    const ssize_t got = connection_->receive(pending_.data(), pending_.size());
    const int error = errno;
    pending_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (got > 0) continue;
    if (filled > 0) return static_cast<ssize_t>(filled);  // the end, or the error, comes again
    errno = error;
    return got;
  }
}

}  // namespace bashcell::engine::docker
