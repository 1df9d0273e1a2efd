#include "rpc/transcript.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using namespace bashcell::rpc;

TEST_CASE("every kind of step is read") {
  const base::Result<Transcript> read = parse_transcript(
      R"({"note": "text"}
{"setup": {"args": ["--timeout=5"], "env": {"A": "b"}}}
{"send": {"jsonrpc":"2.0","id":1,"method":"ping"}}
{"send_raw": "{bad\r\n"}
{"send_raw": {"hex": "ff0a"}}
{"expect": {"id": {"$any":"number"}}, "within_ms": 250}
{"await_event": "started"}
{"close_input": true}
{"expect_exit": 0, "stderr_matches": "gone"}
)");
  REQUIRE(read.ok());
  REQUIRE(read->steps.size() == 9);
  CHECK(read->lines.size() == 9);
  CHECK(read->steps[8].line == 9);
  CHECK(std::get<Setup>(read->steps[1].action).arguments == std::vector<std::string>{"--timeout=5"});
  CHECK(std::get<Setup>(read->steps[1].action).environment.at("A") == "b");
  CHECK(std::get<Send>(read->steps[2].action).bytes.back() == '\n');
  CHECK(std::get<Send>(read->steps[3].action).bytes == "{bad\r\n");
  CHECK(std::get<Send>(read->steps[4].action).bytes == "\xff\n");
  CHECK(std::get<Expect>(read->steps[5].action).within == base::Duration(250));
  CHECK(std::get<AwaitEvent>(read->steps[6].action).name == "started");
  CHECK(std::get<ExpectExit>(read->steps[8].action).stderr_matches == "gone");
}

TEST_CASE("what is not a step is an error that names the line") {
  for (const char* line : {"",
                           "{",
                           "[]",
                           "{}",
                           R"({"sned": {}})",
                           R"({"note": 1})",
                           R"({"expect": {}, "whitin_ms": 1})",
                           R"({"expect": {}, "within_ms": -1})",
                           R"({"expect": {"$anny": "x"}})",
                           R"({"close_input": false})",
                           R"({"expect_exit": "0"})",
                           R"({"expect_exit": 0, "stderr_matches": "("})",
                           R"({"send_raw": 5})",
                           R"({"send_raw": {"hex": "f"}})",
                           R"({"send_raw": {"hex": "FF"}})",
                           R"({"setup": {"engine": "x"}})",
                           R"({"expect": {}, "within_ms": 18446744073709551615})",
                           R"({"expect": {}, "within_ms": 86400001})",
                           R"({"expect_exit": -1})",
                           R"({"expect_exit": 256})",
                           R"({"expect_exit": 4294967296})",
                           R"({"setup": {"args": {"a": "b"}}})",
                           R"({"setup": {"args": "a"}})",
                           R"({"setup": {"env": ["a"]}})",
                           R"({"setup": {"args": [1]}})",
                           R"({"setup": {"env": {"A": 1}}})",
                           R"({"send": {}, "note": "x"})"}) {
    const base::Result<Transcript> read = parse_transcript(std::string("{\"note\": \"first\"}\n") + line + "\n");
    INFO(line);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message.rfind("line 2: ", 0) == 0);
  }
}

TEST_CASE("setup comes first and once, and nothing after the exit but notes") {
  CHECK_FALSE(parse_transcript("{\"send\": {}}\n{\"setup\": {}}\n").ok());
  CHECK_FALSE(parse_transcript("{\"setup\": {}}\n{\"setup\": {}}\n").ok());
  CHECK_FALSE(parse_transcript("{\"expect_exit\": 0}\n{\"send\": {}}\n").ok());
  CHECK(parse_transcript("{\"note\": \"a\"}\n{\"setup\": {}}\n{\"expect_exit\": 0}\n{\"note\": \"b\"}").ok());
}

TEST_CASE("a file that is not there is named") {
  const base::Result<Transcript> read = read_transcript("/nonexistent.jsonl");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().message.find("/nonexistent.jsonl") != std::string::npos);
}
