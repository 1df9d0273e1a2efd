// Any bytes as what a Docker says: the head and the body of an answer to an upgrade, the multiplexed stream of an
// attached connection, the lines of a pull.

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/utf8.h"
#include "engine/docker/attach_stream.h"
#include "engine/docker/pull_progress.h"
#include "http/response_head.h"

namespace bashcell::fuzz {

namespace {

using engine::docker::AttachStream;
using engine::docker::PullProgress;
using http::HeadState;
using http::ResponseHead;

// --- upgrades --------------------------------------------------------------------------------------------------------

void check_body(const ResponseHead& head, std::string_view received) {
  bool complete = false;
  const std::string whole = http::body_so_far(head, received, complete);
  REQUIRE(whole.size() <= received.size());
  // What is in the beginning is the beginning of what is in all, and what is complete stays so.
  bool before = false;
  const std::string half = http::body_so_far(head, received.substr(0, received.size() / 2), before);
  REQUIRE(whole.starts_with(half));
  if (before) REQUIRE((complete && half == whole));
}

void check_head(std::string_view bytes) {
  HeadState last = HeadState::kIncomplete;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    ResponseHead head;
    const HeadState state = http::parse_head(bytes.substr(0, size), head);
    if (last == HeadState::kGarbage) REQUIRE(state == HeadState::kGarbage);
    if (state == HeadState::kComplete) {
      REQUIRE((head.status >= 100 && head.status <= 999));
      REQUIRE((head.size > 0 && head.size <= size));
      return check_body(head, bytes.substr(head.size));
    }
    last = state;
    if (state == HeadState::kGarbage && size > 300) return;  // each beginning anew would take long
  }
}

// --- an attached connection ------------------------------------------------------------------------------------------

class Pieces : public http::Connection {
 public:
  Pieces(std::string_view bytes, size_t seed) {
    cut(bytes, seed, [this](std::string_view piece) {
      if (!piece.empty()) pieces_.emplace_back(piece);  // none would be the end
    });
  }
  int poll_fd() const override { return -1; }
  ssize_t receive(char* buffer, size_t size) override {
    if (at_ == pieces_.size()) return 0;
    std::string& piece = pieces_[at_];
    const size_t count = std::min(size, piece.size());
    std::memcpy(buffer, piece.data(), count);
    piece.erase(0, count);
    if (piece.empty()) ++at_;
    return static_cast<ssize_t>(count);
  }
  ssize_t send(std::string_view bytes) override { return static_cast<ssize_t>(bytes.size()); }

 private:
  std::vector<std::string> pieces_;
  size_t at_ = 0;
};

struct Heard {
  std::string text;
  std::string errors;
  bool broken = false;

  bool operator==(const Heard&) const = default;
};

Heard heard(std::string_view bytes, size_t seed, size_t buffer_size) {
  constexpr size_t kMaxErrors = 4'000;
  AttachStream stream(std::make_unique<Pieces>(bytes, seed));
  Heard all;
  std::vector<char> buffer(buffer_size);
  ssize_t got = 0;
  while ((got = stream.receive(buffer.data(), buffer.size())) > 0) {
    REQUIRE(static_cast<size_t>(got) <= buffer.size());
    all.text.append(buffer.data(), static_cast<size_t>(got));
  }
  all.broken = got < 0;
  if (all.broken) REQUIRE(errno == EPROTO);
  all.errors = stream.errors();
  REQUIRE(all.errors.size() <= kMaxErrors);
  REQUIRE(all.text.size() + all.errors.size() <= bytes.size());
  return all;
}

void check_stream(std::string_view bytes, size_t seed) {
  const Heard whole = heard(bytes, 0, 65'536);
  REQUIRE(heard(bytes, seed, 65'536).errors == whole.errors);
  // Text before a broken header in the same read is not handed out, so that only whole streams come the same from all
  // cuts.
  if (!whole.broken) REQUIRE(heard(bytes, seed, 1 + seed % 50) == whole);
}

// --- a pull ----------------------------------------------------------------------------------------------------------

void check_pull(std::string_view bytes, size_t seed) {
  PullProgress whole;
  whole.add(bytes);
  PullProgress pieces;
  cut(bytes, seed, [&](std::string_view piece) { pieces.add(piece); });
  REQUIRE(pieces.text() == whole.text());
  REQUIRE(pieces.error() == whole.error());
  for (const std::string& line : {whole.text(), whole.error()}) {
    REQUIRE(base::is_valid_utf8(line));
    REQUIRE(line.find('\n') == std::string::npos);
  }
}

void check(const Input& input) {
  const size_t seed = input.number(1) + 1;
  switch (input.knobs[0] % 3) {
    case 0:
      return check_head(input.text);
    case 1:
      return check_stream(input.text, seed);
    default:
      return check_pull(input.text, seed);
  }
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
