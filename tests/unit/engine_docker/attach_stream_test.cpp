#include "engine/docker/attach_stream.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <deque>

using namespace bashcell;
using engine::docker::AttachStream;

namespace {

// Hands out what it was given, piece by piece; then EAGAIN, or the end.
class GivenPieces : public http::Connection {
 public:
  GivenPieces(std::deque<std::string> pieces, bool ends) : pieces_(std::move(pieces)), ends_(ends) {}

  int poll_fd() const override { return -1; }
  ssize_t receive(char* buffer, size_t size) override {
    if (pieces_.empty()) {
      errno = EAGAIN;
      return ends_ ? 0 : -1;
    }
    std::string& piece = pieces_.front();
    const size_t count = std::min(size, piece.size());
    std::memcpy(buffer, piece.data(), count);
    piece.erase(0, count);
    if (piece.empty()) pieces_.pop_front();
    return static_cast<ssize_t>(count);
  }
  ssize_t send(std::string_view bytes) override { return static_cast<ssize_t>(bytes.size()); }

 private:
  std::deque<std::string> pieces_;
  bool ends_;
};

std::string piece(int stream, const std::string& content) {
  std::string text(8, '\0');
  text[0] = static_cast<char>(stream);
  for (int i = 0; i < 4; ++i) text[static_cast<size_t>(7 - i)] = static_cast<char>(content.size() >> (8 * i) & 0xff);
  return text + content;
}

AttachStream stream_of(std::deque<std::string> pieces, bool ends = false) {
  return AttachStream(std::make_unique<GivenPieces>(std::move(pieces), ends));
}

// What is received until it would block or ends, with buffers of that size.
std::string all_of(AttachStream& stream, size_t buffer_size) {
  std::string all;
  std::string buffer(buffer_size, '\0');
  for (;;) {
    const ssize_t got = stream.receive(buffer.data(), buffer.size());
    if (got <= 0) return all;
    all.append(buffer, 0, static_cast<size_t>(got));
  }
}

}  // namespace

TEST_CASE("an attached stream is put together whatever the cut") {
  std::string big(100'000, 'x');
  big += "end";
  const std::string whole = piece(1, "hello ") + piece(2, "oops") + piece(1, "") + piece(1, big) + piece(1, "!");
  for (const size_t cut : {1UL, 2UL, 7UL, 8UL, 9UL, 4096UL, whole.size()}) {
    for (const size_t buffer : {1UL, 3UL, 65'536UL}) {
      if (cut == 1 && buffer == 1) continue;  // the same again, and slow
      std::deque<std::string> pieces;
      for (size_t at = 0; at < whole.size(); at += cut) pieces.push_back(whole.substr(at, cut));
      AttachStream stream = stream_of(std::move(pieces));
      CHECK(all_of(stream, buffer) == "hello " + big + "!");
      CHECK(stream.errors() == "oops");
    }
  }
}

TEST_CASE("a short count means that nothing more is there") {
  AttachStream stream = stream_of({piece(1, "ab"), piece(1, "cd"), piece(2, "e")});
  std::string buffer(100, '\0');
  CHECK(stream.receive(buffer.data(), buffer.size()) == 4);
  CHECK(stream.receive(buffer.data(), buffer.size()) == -1);
  CHECK(errno == EAGAIN);
}

TEST_CASE("the end of an attached stream is an end, also within a piece") {
  for (const std::string& before : {piece(1, "abc"), piece(1, "abcdef").substr(0, 11)}) {
    AttachStream stream = stream_of({before}, true);
    std::string buffer(100, '\0');
    CHECK(stream.receive(buffer.data(), buffer.size()) == 3);
    CHECK(stream.receive(buffer.data(), buffer.size()) == 0);
  }
}

TEST_CASE("what is no header ends an attached stream with an error") {
  for (const char* garbage : {"\x03\0\0\0\0\0\0\1x", "\x01\1\0\0\0\0\0\1x", "HTTP/1.1"}) {
    AttachStream stream = stream_of({std::string(garbage, 8)});
    std::string buffer(100, '\0');
    CHECK(stream.receive(buffer.data(), buffer.size()) == -1);
    CHECK(errno == EPROTO);
  }
}

TEST_CASE("of what comes on stderr only the beginning is kept") {
  AttachStream stream =
      stream_of({piece(2, std::string(3'000, 'a')), piece(2, std::string(300'000, 'b')), piece(1, "x")});
  CHECK(all_of(stream, 10) == "x");
  CHECK(stream.errors() == std::string(3'000, 'a') + std::string(1'000, 'b'));
}
