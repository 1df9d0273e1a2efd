#include <catch2/catch.hpp>

#include "base/process.h"
#include "http/curl_library.h"
#include "http/response_head.h"
#include "http/shown.h"

using namespace bashcell;
using namespace bashcell::http;

TEST_CASE("the program does not need libcurl to start") {
  base::SpawnOptions options;
  options.argv = {"/bin/sh", "-c", "ldd /proc/$PPID/exe"};
  options.environment = {"PATH=/usr/bin:/bin"};
  const base::Captured ours = base::run_captured(options, base::Duration(20'000)).value();
  CHECK(ours.output.find("libfmt") != std::string::npos);
  CHECK(ours.output.find("libcurl") == std::string::npos);
}

TEST_CASE("a library that is not there, or not libcurl, is said with the package to install") {
  const std::string start =
      "cannot use libcurl, which talking to Docker or Podman needs (Debian: apt install libcurl4): ";
  const auto absent = open_curl_library("libno-such-curl.so.4");
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().message.starts_with(start + "libno-such-curl.so.4: "));
  const auto other = open_curl_library("libc.so.6");
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message.starts_with(start + "libc.so.6 has no curl_"));
  CHECK(curl_library().ok());
  CHECK(curl_library().value() == curl_library().value());
}

TEST_CASE("what is shown is one clean line") {
  CHECK(shown("", 10).empty());
  CHECK(shown(" \r\n a\t\tb \n", 10) == "a b");
  CHECK(shown("abcdefghij", 10) == "abcdefghij");
  CHECK(shown("abcdefghijk", 10) == "abcdefghij...");
  CHECK(shown("abcdefghi\xC3\xA9", 10) == "abcdefghi...");
  CHECK(shown(std::string("a\0\x1b[1mb\x7f\xff", 9), 20) == "a [1mb \xEF\xBF\xBD");
  CHECK(shown(std::string(1'000, ' ') + "x", 10) == "...");
}

TEST_CASE("a server's message is found in its answer") {
  CHECK(server_message(R"({"message":"no such\n image"})") == "no such image");
  CHECK(server_message(R"({"cause":"x","message":"y","response":404})") == "y");
  CHECK(server_message(R"({"message":7})") == R"({"message":7})");
  CHECK(server_message("page not found\n") == "page not found");
  CHECK(server_message("").empty());
  CHECK(server_message(std::string(100'000, '[')) == std::string(300, '[') + "...");
  CHECK(server_message("[1,2]") == "[1,2]");
}

TEST_CASE("the head of an answer is read as far as it has come") {
  const std::string whole = "HTTP/1.1 404 Not Found\r\ncontent-length:  12 \r\nX: HTTP/1.1 200 OK\r\n\r\nbody";
  ResponseHead head;
  const size_t size = whole.size() - 4;
  for (size_t i = 0; i < size; ++i) CHECK(parse_head(whole.substr(0, i), head) == HeadState::kIncomplete);
  CHECK(parse_head(whole, head) == HeadState::kComplete);
  CHECK(head.size == size);
  CHECK(head.status == 404);
  CHECK(head.content_length == 12);
  CHECK_FALSE(head.chunked);
  CHECK(parse_head("HTTP/1.0 101\n\n", head) == HeadState::kComplete);
  CHECK(head.status == 101);
  CHECK_FALSE(head.content_length.has_value());
  CHECK(parse_head("HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n", head) == HeadState::kComplete);
  CHECK(head.chunked);
}

TEST_CASE("what can be no head is known as soon as it shows") {
  ResponseHead head;
  for (const char* text :
       {"x", "HTTP/2", "HTTP/1.1x200 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 -20 OK\r\n",
        "HTTP/1.1 099 OK\r\n", "HTTP/1.2 200 OK\r\n", "HTTP/1.1\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n", "\r\nHTTP/1.1 200 OK\r\n"}) {
    CAPTURE(text);
    CHECK(parse_head(text, head) == HeadState::kGarbage);
  }
}

TEST_CASE("a body is taken out of its frames as far as it has come") {
  struct Row {
    ResponseHead head;
    std::string received;
    std::string body;
    bool complete;
  };
  const ResponseHead plain;
  const ResponseHead five{.content_length = 5};
  const ResponseHead chunked{.chunked = true};
  const std::vector<Row> rows = {
      {plain, "abc", "abc", false},
      {five, "abc", "abc", false},
      {five, "abcdefg", "abcde", true},
      {ResponseHead{.content_length = 0}, "", "", true},
      {chunked, "", "", false},
      {chunked, "3", "", false},
      {chunked, "3\r\nab", "ab", false},
      {chunked, "3\r\nabc", "abc", false},
      {chunked, "3\r\nabc\r\n", "abc", false},
      {chunked, "3;x=y\r\nabc\r\nA\r\n0123456789\r\n", "abc0123456789", false},
      {chunked, "3\r\nabc\r\n0\r\n\r\n", "abc", true},
      {chunked, "3\r\nabc\r\nzz\r\nabc", "abc", true},
      {chunked, "ffffffffffffffff\r\nabc", "abc", false},
      {chunked, "fffffffffffffffff\r\nabc", "", true},
      {chunked, "-1\r\nabc", "", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.received);
    bool complete = !row.complete;
    CHECK(body_so_far(row.head, row.received, complete) == row.body);
    CHECK(complete == row.complete);
  }
}
