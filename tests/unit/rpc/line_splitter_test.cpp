#include "rpc/line_splitter.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using bashcell::rpc::LineSplitter;

namespace {

// What came out, in order; an oversized line shows as "(oversize)".
struct Collected {
  std::vector<std::string> lines;
  LineSplitter splitter;
  explicit Collected(size_t cap)
      : splitter(cap, {[this](std::string_view line) { lines.emplace_back(line); },
                       [this] { lines.emplace_back("(oversize)"); }}) {}
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lines come out the same however the stream is cut (C111)") {
  const std::string stream = "one\ntwo\r\n\n\r\nth\rree\nlast";
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    Collected c(100);
    for (size_t at = 0; at < stream.size(); at += piece) c.splitter.add(std::string_view(stream).substr(at, piece));
    CHECK(c.lines == Lines{"one", "two", "", "", "th\rree"});
    c.splitter.finish();
    CHECK(c.lines == Lines{"one", "two", "", "", "th\rree", "last"});
  }
}

TEST_CASE("the cap counts the bytes before the newline") {
  const std::string stream = "1234\n12345\n123456\nok\n";
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    Collected c(5);
    for (size_t at = 0; at < stream.size(); at += piece) c.splitter.add(std::string_view(stream).substr(at, piece));
    CHECK(c.lines == Lines{"1234", "12345", "(oversize)", "ok"});
  }
}

TEST_CASE("an oversized line is reported once, at once, also without an end") {
  Collected c(5);
  for (int i = 0; i < 100; ++i) c.splitter.add("aaaa");
  CHECK(c.lines == Lines{"(oversize)"});
  c.splitter.finish();
  CHECK(c.lines == Lines{"(oversize)"});
}

TEST_CASE("an end right after a newline, or of nothing, is no line") {
  Collected c(5);
  c.splitter.finish();
  c.splitter.add("a\n");
  c.splitter.finish();
  CHECK(c.lines == Lines{"a"});
}
