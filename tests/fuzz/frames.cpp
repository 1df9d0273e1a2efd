// Any bytes as what the other side of the wire says: an error or a message, however they came.

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "wire/frame.h"
#include "wire/messages.h"

namespace bashcell::fuzz {

namespace {

using wire::Frame;
using wire::FrameDecoder;

struct Heard {
  std::vector<Frame> frames;
  std::string error;  // empty: none
};

Heard heard(std::string_view bytes, size_t seed) {
  Heard all;
  FrameDecoder decoder;
  const auto take_all = [&] {
    for (;;) {
      base::Result<std::optional<Frame>> next = decoder.next();
      if (!next) {
        REQUIRE(!next.error().message.empty());
        REQUIRE((all.error.empty() || all.error == next.error().message));
        all.error = next.error().message;
        return;
      }
      REQUIRE(all.error.empty());  // after a bad frame there is no good one
      if (!*next) return;
      all.frames.push_back(std::move(**next));
    }
  };
  cut(bytes, seed, [&](std::string_view piece) {
    decoder.add(piece);
    take_all();
  });
  take_all();
  return all;
}

// What decodes encodes again to an equal frame.
void check_frame(const Frame& frame) {
  REQUIRE(frame.header.is_object());
  REQUIRE(frame.body.size() <= wire::kMaxBodyBytes);
  const std::string encoded = wire::encode(frame);
  FrameDecoder decoder;
  decoder.add(encoded);
  const base::Result<std::optional<Frame>> again = decoder.next();
  REQUIRE((again && *again));
  REQUIRE((*again)->header == frame.header);
  REQUIRE((*again)->body == frame.body);
  REQUIRE(wire::encode(**again) == encoded);
}

// A message is what its frame says, and nothing else.
template <typename Read>
void check_message(const Frame& frame, Read read) {
  const auto message = read(frame);
  if (!message) {
    REQUIRE(message.error().message.starts_with("bad message: "));
    return;
  }
  const Frame told = wire::to_frame(*message);
  for (const auto& [name, value] : told.header.items()) {
    if (!value.is_object()) REQUIRE(frame.header.at(name) == value);
  }
  REQUIRE((told.body.empty() || told.body == frame.body));
  const auto again = read(told);
  REQUIRE(again);
  REQUIRE(wire::encode(wire::to_frame(*again)) == wire::encode(told));
}

// Lines that are in turn a header and a body, as frames: so the fuzzer need not learn to count.
std::string framed(std::string_view lines) {
  std::string bytes;
  const auto put_length = [&](size_t length) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((length >> shift) & 0xFFU);
  };
  const auto next_line = [&] {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    return line;
  };
  while (!lines.empty()) {
    const std::string_view header = next_line();
    const std::string_view body = next_line();
    put_length(header.size());
    put_length(body.size());
    bytes.append(header).append(body);
  }
  return bytes;
}

void check(const Input& input) {
  const std::string bytes = input.knobs[0] % 2 == 0 ? input.text : framed(input.text);
  const Heard whole = heard(bytes, 0);
  const Heard pieces = heard(bytes, input.number(1) + 1);
  REQUIRE(pieces.error == whole.error);
  REQUIRE(pieces.frames.size() == whole.frames.size());
  for (size_t i = 0; i < whole.frames.size(); ++i) {
    REQUIRE(pieces.frames[i].header == whole.frames[i].header);
    REQUIRE(pieces.frames[i].body == whole.frames[i].body);
    check_frame(whole.frames[i]);
    check_message(whole.frames[i], wire::host_message);
    check_message(whole.frames[i], wire::cell_message);
  }
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
