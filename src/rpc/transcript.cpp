#include "rpc/transcript.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/file.h"
#include "base/json_shape.h"
#include "rpc/match.h"
#include "rpc/message.h"
#include "rpc/regex.h"

namespace bashcell::rpc {

namespace {

using base::Error;
using base::Result;
using nlohmann::json;

constexpr size_t kMaxFileBytes = 64 * 1024 * 1024;
constexpr uint64_t kMostMilliseconds = 24 * 60 * 60 * 1000;
constexpr uint64_t kMostExitCode = 255;

Result<std::string> from_hex(const std::string& digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  if (digits.size() % 2 != 0 || digits.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return Error{"hex must be pairs of the digits 0-9 and a-f"};
  }
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  return bytes;
}

bool only_members(const json& object, std::initializer_list<const char*> allowed) {
  return std::all_of(object.items().begin(), object.items().end(), [&](const auto& item) {
    return std::any_of(allowed.begin(), allowed.end(), [&](const char* name) { return item.key() == name; });
  });
}

Result<Step> read_setup(const json& setup) {
  if (!setup.is_object() || !only_members(setup, {"args", "env"}))
    return Error{"setup must be an object of args and env"};
  Setup result;
  const json arguments = setup.value("args", json::array());
  if (!arguments.is_array()) return Error{"args must be an array"};
  for (const json& argument : arguments) {
    if (!argument.is_string()) return Error{"args must be strings"};
    result.arguments.push_back(argument.get<std::string>());
  }
  const json environment = setup.value("env", json::object());
  if (!environment.is_object()) return Error{"env must be an object"};
  for (const auto& [name, value] : environment.items()) {
    if (!value.is_string()) return Error{"env must hold strings"};
    result.environment[name] = value.get<std::string>();
  }
  return Step{0, std::move(result)};
}

Result<Step> read_raw(const json& raw) {
  if (raw.is_string()) return Step{0, Send{raw.get<std::string>()}};
  if (!raw.is_object() || !only_members(raw, {"hex"}) || !raw.contains("hex") || !raw["hex"].is_string()) {
    return Error{"send_raw must be a string or {\"hex\": \"...\"}"};
  }
  Result<std::string> bytes = from_hex(raw["hex"].get<std::string>());
  if (!bytes) return bytes.error();
  return Step{0, Send{std::move(*bytes)}};
}

Result<Step> read_expect(const json& line) {
  Expect expect{line["expect"]};
  if (line.contains("within_ms")) {
    const json& within = line["within_ms"];
    if (!within.is_number_unsigned() || within.get<uint64_t>() > kMostMilliseconds) {
      return Error{"within_ms must be a number of milliseconds, at most a day's"};
    }
    expect.within = base::Duration(within.get<int64_t>());
  }
  if (const Result<void> valid = check_pattern(expect.message); !valid) return valid.error();
  return Step{0, std::move(expect)};
}

Result<Step> read_expect_exit(const json& line) {
  const json& code = line["expect_exit"];
  if (!code.is_number_unsigned() || code.get<uint64_t>() > kMostExitCode) {
    return Error{"expect_exit must be an exit code, 0 to 255"};
  }
  ExpectExit expect{code.get<int>()};
  if (line.contains("stderr_matches")) {
    if (!line["stderr_matches"].is_string()) return Error{"stderr_matches must be a string"};
    expect.stderr_matches = line["stderr_matches"].get<std::string>();
    if (const Result<void> valid = check_regex(*expect.stderr_matches); !valid) return valid.error();
  }
  return Step{0, std::move(expect)};
}

Result<Step> read_step(std::string_view text) {
  if (base::json_shape(text).depth > kMaxDepth) return Error{"nested too deeply"};
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object()) return Error{"not a JSON object"};
  if (line.contains("expect") && only_members(line, {"expect", "within_ms"})) return read_expect(line);
  if (line.contains("expect_exit") && only_members(line, {"expect_exit", "stderr_matches"}))
    return read_expect_exit(line);
  if (line.size() != 1) return Error{"not a known step: " + line.dump()};
  const std::string& kind = line.begin().key();
  const json& value = line.begin().value();
  if (kind == "note" && value.is_string()) return Step{0, Note{}};
  if (kind == "setup") return read_setup(value);
  if (kind == "send") return Step{0, Send{value.dump() + "\n"}};
  if (kind == "send_raw") return read_raw(value);
  if (kind == "await_event" && value.is_string()) return Step{0, AwaitEvent{value.get<std::string>()}};
  if (kind == "close_input" && value == true) return Step{0, CloseInput{}};
  return Error{"not a known step: " + line.dump()};
}

// Setup comes before everything that needs the program, and nothing comes after its exit.
Result<void> check_order(const std::vector<Step>& steps, const Step& next) {
  if (std::holds_alternative<Note>(next.action)) return {};
  for (const Step& step : steps) {
    if (std::holds_alternative<ExpectExit>(step.action)) return Error{"a step after expect_exit"};
    if (std::holds_alternative<Setup>(next.action) && !std::holds_alternative<Note>(step.action)) {
      return Error{"setup must come first, and once"};
    }
  }
  return {};
}

}  // namespace

Result<Transcript> parse_transcript(std::string_view text) {
  Transcript transcript;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    transcript.lines.emplace_back(line);
    const size_t number = transcript.lines.size();
    const auto located = [&](const Error& error) {
      return Error{"line " + std::to_string(number) + ": " + error.message};
    };
    Result<Step> step = read_step(line);
    if (!step) return located(step.error());
    if (const Result<void> order = check_order(transcript.steps, *step); !order) return located(order.error());
    step->line = number;
    transcript.steps.push_back(std::move(*step));
  }
  return transcript;
}

Result<Transcript> read_transcript(const std::string& path) {
  const Result<std::string> text = base::read_file(path, kMaxFileBytes);
  if (!text) return text.error();
  Result<Transcript> transcript = parse_transcript(*text);
  if (!transcript) return Error{path + ": " + transcript.error().message};
  return transcript;
}

}  // namespace bashcell::rpc
