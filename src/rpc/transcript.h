#pragma once
// Recorded conversations as files: what was sent, and what must come back. The format is described in
// tests/transcripts/README.md and schemas/transcript.json. Reading is strict: a misspelt step would test nothing.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/result.h"

namespace bashcell::rpc {

struct Note {};
// How the program is started: `arguments` are added to its command line, `environment` to its environment.
struct Setup {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
};
struct Send {
  std::string bytes;  // with the newline, unless the step is send_raw
};
struct Expect {
  nlohmann::json message;                               // with matchers, see match.h
  std::optional<base::Duration> within = std::nullopt;  // of the end of the step before
};
struct AwaitEvent {
  std::string name;
};
struct CloseInput {};
struct ExpectExit {
  int code = 0;
  std::optional<std::string> stderr_matches = std::nullopt;  // found in some line of stderr
};

struct Step {
  size_t line = 0;  // in the file, from 1
  std::variant<Note, Setup, Send, Expect, AwaitEvent, CloseInput, ExpectExit> action;
};

struct Transcript {
  std::vector<std::string> lines;  // as in the file
  std::vector<Step> steps;         // one per line
};

// Errors name the line.
base::Result<Transcript> parse_transcript(std::string_view text);
base::Result<Transcript> read_transcript(const std::string& path);

}  // namespace bashcell::rpc
