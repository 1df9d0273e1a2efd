#include "wire/frame.h"

#include <cstdint>

#include "base/json_shape.h"

namespace bashcell::wire {

namespace {

constexpr size_t kLengthsBytes = 8;

void put_length(std::string& out, size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

size_t get_length(std::string_view bytes) {
  size_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= static_cast<size_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

}  // namespace

std::string encode(const Frame& frame) {
  const std::string header = frame.header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string bytes;
  bytes.reserve(kLengthsBytes + header.size() + frame.body.size());
  put_length(bytes, header.size());
  put_length(bytes, frame.body.size());
  bytes += header;
  bytes += frame.body;
  return bytes;
}

void FrameDecoder::add(std::string_view bytes) {
  if (broken_) return;
  if (start_ > 0 && start_ >= buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
}

base::Result<std::optional<Frame>> FrameDecoder::next() {
  if (broken_) return *broken_;
  const auto fail = [&](std::string why) -> base::Result<std::optional<Frame>> {
    broken_ = base::Error{"bad frame: " + std::move(why)};
    buffer_.clear();
    return *broken_;
  };
  const std::string_view bytes = std::string_view(buffer_).substr(start_);
  if (bytes.size() < kLengthsBytes) return std::optional<Frame>{};
  const size_t header_bytes = get_length(bytes);
  const size_t body_bytes = get_length(bytes.substr(4));
  if (header_bytes > kMaxHeaderBytes) return fail("a header of " + std::to_string(header_bytes) + " bytes");
  if (body_bytes > kMaxBodyBytes) return fail("a body of " + std::to_string(body_bytes) + " bytes");
  if (bytes.size() < kLengthsBytes + header_bytes + body_bytes) return std::optional<Frame>{};

  const std::string_view header = bytes.substr(kLengthsBytes, header_bytes);
  if (!depth_within(header, kMaxHeaderDepth)) return fail("the header is nested too deeply");
  Frame frame;
  frame.header = nlohmann::json::parse(header, nullptr, false);
  if (!frame.header.is_object()) return fail("the header is not a JSON object");
  frame.body = bytes.substr(kLengthsBytes + header_bytes, body_bytes);
  start_ += kLengthsBytes + header_bytes + body_bytes;
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
    if (buffer_.capacity() > kMaxHeaderBytes) buffer_.shrink_to_fit();
  }
  return std::optional<Frame>(std::move(frame));
}

bool depth_within(std::string_view json_text, int max_depth) {
  return base::json_shape(json_text).depth <= static_cast<size_t>(max_depth);
}

}  // namespace bashcell::wire
