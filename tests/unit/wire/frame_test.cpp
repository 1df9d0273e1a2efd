#include "wire/frame.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using bashcell::base::Result;
using bashcell::wire::depth_within;
using bashcell::wire::encode;
using bashcell::wire::Frame;
using bashcell::wire::FrameDecoder;
using bashcell::wire::kMaxBodyBytes;
using bashcell::wire::kMaxHeaderBytes;
using bashcell::wire::kMaxHeaderDepth;
using nlohmann::json;
using namespace std::string_literals;

namespace {

std::string lengths(uint32_t header, uint32_t body) {
  std::string bytes;
  for (const uint32_t value : {header, body}) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((value >> shift) & 0xFFU);
  }
  return bytes;
}

std::string raw_frame(const std::string& header, const std::string& body = "") {
  return lengths(static_cast<uint32_t>(header.size()), static_cast<uint32_t>(body.size())) + header + body;
}

// The error of the first frame that is not one; empty if there is none.
std::string problem_of(const std::string& bytes) {
  FrameDecoder decoder;
  decoder.add(bytes);
  for (;;) {
    Result<std::optional<Frame>> next = decoder.next();
    if (!next) return next.error().message;
    if (!*next) return "";
  }
}

std::vector<Frame> samples() {
  return {{json::object(), ""},
          {{{"type", "run"}, {"id", 1}}, "echo hi"},
          {{{"text", "caf\xc3\xa9 \"\\\n"}, {"list", {1, 2, {{"a", nullptr}}}}}, "\0\xff raw \n bytes"s},
          {{{"type", "ping"}}, std::string(100'000, '\xfe')}};
}

}  // namespace

TEST_CASE("frames come out as they went in, whatever pieces they come in") {
  const std::vector<Frame> frames = samples();
  std::string bytes;
  for (const Frame& frame : frames) bytes += encode(frame);
  for (const size_t piece :
       {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{8}, size_t{9}, size_t{1000}, bytes.size()}) {
    FrameDecoder decoder;
    std::vector<Frame> got;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      decoder.add(std::string_view(bytes).substr(at, piece));
      for (;;) {
        Result<std::optional<Frame>> next = decoder.next();
        REQUIRE(next.ok());
        if (!*next) break;
        got.push_back(std::move(**next));
      }
    }
    REQUIRE(got.size() == frames.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      CHECK(got[i].header == frames[i].header);
      CHECK((got[i].body == frames[i].body));
    }
  }
}

TEST_CASE("a frame that is not whole yet is awaited, not an error") {
  const std::string bytes = encode(samples()[1]);
  for (size_t size = 0; size < bytes.size(); ++size) CHECK(problem_of(bytes.substr(0, size)).empty());
}

TEST_CASE("lengths are refused before anything is stored for them") {
  CHECK(problem_of(lengths(kMaxHeaderBytes + 1, 0)) == "bad frame: a header of 65537 bytes");
  CHECK(problem_of(lengths(2, kMaxBodyBytes + 1)) == "bad frame: a body of 16777217 bytes");
  CHECK(problem_of(lengths(0xFFFFFFFFU, 0xFFFFFFFFU)) == "bad frame: a header of 4294967295 bytes");
  CHECK(problem_of(lengths(kMaxHeaderBytes, kMaxBodyBytes)).empty());
}

TEST_CASE("a frame as large as allowed passes") {
  Frame frame{{{"type", "run"}}, std::string(kMaxBodyBytes, 'x')};
  FrameDecoder decoder;
  decoder.add(encode(frame));
  const Result<std::optional<Frame>> next = decoder.next();
  REQUIRE(next.ok());
  REQUIRE(next->has_value());
  CHECK((*next)->body.size() == kMaxBodyBytes);
  const std::string header = R"({"a":")" + std::string(kMaxHeaderBytes - 8, 'x') + R"("})";
  REQUIRE(header.size() == kMaxHeaderBytes);
  CHECK(problem_of(raw_frame(header)).empty());
}

TEST_CASE("a header that is no JSON object ends the decoding") {
  for (const std::string header : {"", "null", "1", "[]", "\"text\"", "{", "{}x", "{\"a\":1,}", "{\"a\":\xff}",
                                   "{\"a\":\"\xff\"}", "{\"a\":1e999}", "\xef\xbb\xbf"}) {
    CAPTURE(header);
    CHECK(problem_of(raw_frame(header)) == "bad frame: the header is not a JSON object");
  }
}

TEST_CASE("depth is limited, and not by recursion") {
  const auto nested = [](size_t depth) {
    return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  CHECK(problem_of(raw_frame(nested(kMaxHeaderDepth))).empty());
  CHECK(problem_of(raw_frame(nested(kMaxHeaderDepth + 1))) == "bad frame: the header is nested too deeply");
  CHECK(problem_of(raw_frame(std::string(kMaxHeaderBytes, '['))) == "bad frame: the header is nested too deeply");
  CHECK(depth_within(R"({"a":"[[[[[[[[[[[["})", 1));
  CHECK(!depth_within("[[]]", 1));
  CHECK(depth_within("", 0));
}

TEST_CASE("after a bad frame nothing is decoded any more") {
  FrameDecoder decoder;
  decoder.add(raw_frame("[]"));
  const std::string problem = decoder.next().error().message;
  decoder.add(encode(samples()[0]));
  CHECK(decoder.next().error().message == problem);
  CHECK(decoder.next().error().message == problem);
}

TEST_CASE("text that is not UTF-8 is replaced when a header is written") {
  FrameDecoder decoder;
  decoder.add(encode({{{"a", "x\xff"}}, ""}));
  const Result<std::optional<Frame>> next = decoder.next();
  REQUIRE(next.ok());
  CHECK((*next)->header["a"] == "x\xef\xbf\xbd");
}

TEST_CASE("garbage and damaged frames never do more than end the decoding") {
  std::string valid;
  for (const Frame& frame : samples()) valid += encode(frame).substr(0, 400);
  size_t refused = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 dice(seed);
    std::string bytes = seed % 2 == 0 ? valid : std::string(dice() % 300, '\0');
    for (size_t changes = seed % 2 == 0 ? 1 + dice() % 4 : bytes.size(); changes > 0 && !bytes.empty(); --changes) {
      bytes[dice() % bytes.size()] = static_cast<char>(dice());
    }
    FrameDecoder decoder;
    bool broken = false;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, 1 + dice() % 50);
      decoder.add(piece);
      rest.remove_prefix(piece.size());
      for (;;) {
        const Result<std::optional<Frame>> next = decoder.next();
        if (broken) REQUIRE(!next.ok());
        if (!next.ok()) {
          broken = true;
          break;
        }
        if (!next->has_value()) break;
        REQUIRE((*next)->header.is_object());
      }
    }
    if (broken) ++refused;
  }
  CHECK(refused > 500);
}
