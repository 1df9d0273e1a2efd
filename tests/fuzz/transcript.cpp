// Any bytes as a transcript: steps that can be played, or an error that names the line.

#include "rpc/transcript.h"

#include <catch2/catch.hpp>

#include "rpc/match.h"

namespace bashcell::fuzz {

namespace {

using rpc::Expect;
using rpc::Step;
using rpc::Transcript;

// Every pattern against every message: a difference is a text, and a message without matchers is like itself.
void check_patterns(const Transcript& transcript) {
  constexpr size_t kMost = 8;
  std::vector<nlohmann::json> messages;
  for (const Step& step : transcript.steps) {
    const auto* const expect = std::get_if<Expect>(&step.action);
    if (expect != nullptr && messages.size() < kMost) messages.push_back(expect->message);
  }
  for (const nlohmann::json& pattern : messages) {
    for (const nlohmann::json& message : messages) {
      rpc::Bindings bindings;
      const std::optional<std::string> difference = rpc::difference(pattern, message, bindings);
      if (difference) REQUIRE(!difference->empty());
      if (pattern == message && pattern.dump().find("\"$") == std::string::npos) REQUIRE(!difference);
    }
  }
}

void check(const Input& input) {
  const base::Result<Transcript> transcript = rpc::parse_transcript(input.text);
  if (!transcript) {
    REQUIRE(transcript.error().message.starts_with("line "));
    return;
  }
  REQUIRE(transcript->steps.size() == transcript->lines.size());
  size_t line = 0;
  for (const Step& step : transcript->steps) {
    REQUIRE(step.line == ++line);
    if (const auto* const expect = std::get_if<Expect>(&step.action)) {
      REQUIRE((!expect->within || *expect->within >= base::Duration::zero()));
    }
  }
  check_patterns(*transcript);
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
