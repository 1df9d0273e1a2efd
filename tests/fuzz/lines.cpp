// Any bytes as what a client writes: the server answers each request once, each unreadable line with an error, and goes
// on.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "fixture.h"
#include "rpc/line_splitter.h"

namespace bashcell::fuzz {

namespace {

using nlohmann::json;

struct Conversation {
  std::vector<std::string> sent;     // by the server
  std::map<std::string, int> asked;  // how often each id came in a request
  int unreadable = 0;                // lines and messages that can only be refused
};

void note(const rpc::Incoming& incoming, Conversation& told) {
  for (const rpc::Message& message : incoming.messages) {
    if (const auto* const request = std::get_if<rpc::Request>(&message)) ++told.asked[rpc::id_key(request->id)];
    const auto* const invalid = std::get_if<rpc::Invalid>(&message);
    if (invalid == nullptr) continue;
    REQUIRE(!invalid->error.message.empty());
    REQUIRE((invalid->error.code == rpc::kParseError || invalid->error.code == rpc::kInvalidRequest));
    ++told.unreadable;
    if (!invalid->id.is_null()) ++told.asked[rpc::id_key(invalid->id)];
  }
}

// The conversation with a server to which the bytes come in pieces; every call is answered at the end.
Conversation conversation(std::string_view bytes, size_t longest_line, size_t seed) {
  Conversation told;
  mcp::Fixture fixture;
  const auto on_line = [&](std::string_view line) {
    note(rpc::parse_line(line), told);
    fixture.transport.receive(line);
  };
  const auto on_oversize = [&] {
    ++told.unreadable;
    fixture.transport.events.on_oversize();
  };
  rpc::LineSplitter splitter(longest_line, {.on_line = on_line, .on_oversize = on_oversize});
  cut(bytes, seed, [&](std::string_view piece) { splitter.add(piece); });
  splitter.finish();
  for (const auto& call : fixture.tool.calls) call->finish({.text = "done"});
  REQUIRE(fixture.server->in_flight() == 0);
  told.sent = std::exchange(fixture.transport.sent, {});
  fixture.expect_alive();
  return told;
}

void check_answer(const json& answer, std::map<std::string, int>& asked) {
  REQUIRE(answer.is_object());
  REQUIRE(answer.at("jsonrpc") == "2.0");
  if (answer.contains("method")) {  // progress, or the end of a question to the client's model
    REQUIRE(!answer.contains("id"));
    return;
  }
  REQUIRE(answer.contains("result") != answer.contains("error"));
  const json& id = answer.at("id");
  if (id.is_null()) {
    REQUIRE(answer.contains("error"));
    return;
  }
  REQUIRE(--asked[rpc::id_key(id)] >= 0);
}

void check(const Input& input) {
  const size_t longest_line = input.knobs[0] % 4 == 0 ? size_t{40} * input.knobs[1] : 1U << 20;
  const Conversation whole = conversation(input.text, longest_line, input.text.size());
  REQUIRE(conversation(input.text, longest_line, input.number(2) + 1).sent == whole.sent);
  std::map<std::string, int> asked = whole.asked;
  for (const std::string& line : whole.sent) {
    REQUIRE(base::is_valid_utf8(line));
    REQUIRE(line.find_first_of("\r\n") == std::string::npos);
    const json answer = json::parse(line, nullptr, false);
    if (!answer.is_array()) {
      check_answer(answer, asked);
    } else {
      REQUIRE(!answer.empty());
      for (const json& one : answer) check_answer(one, asked);
    }
  }
  if (whole.unreadable > 0) REQUIRE(!whole.sent.empty());
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
