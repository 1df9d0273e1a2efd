#include "rpc/player.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "base/utf8.h"
#include "rpc/regex.h"

namespace bashcell::rpc {

namespace {

using base::Error;
using nlohmann::json;

std::string shown(const std::string& line) {
  constexpr size_t kMaxShown = 2000;
  const std::string text = base::replace_invalid_utf8(line.substr(0, kMaxShown));
  return line.size() <= kMaxShown ? text : text + "... (" + std::to_string(line.size()) + " bytes)";
}

std::string exit_text(const base::ExitStatus& status) {
  return (status.signaled ? "signal " : "exit code ") + std::to_string(status.code);
}

bool found_in_some_line(const std::string& expression, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (regex_found(expression, line)) return true;
  }
  return false;
}

std::string indented_tail(const std::string& text) {
  constexpr size_t kMaxTail = 4000;
  std::istringstream lines(base::replace_invalid_utf8(text.substr(text.size() - std::min(text.size(), kMaxTail))));
  std::string result;
  for (std::string line; std::getline(lines, line);) result += "\n    " + line;
  return result;
}

std::string expect_step(const std::string& line, const Expect& step) {
  const std::string within = step.within ? ", \"within_ms\": " + std::to_string(step.within->count()) : std::string();
  return "{\"expect\": " + line + within + "}";
}

}  // namespace

PlayerOptions player_options_from_environment() {
  PlayerOptions options;
  for (char** entry = environ; *entry != nullptr; ++entry) options.environment.emplace_back(*entry);
  if (const char* text = std::getenv("BASHCELL_TEST_SLOWNESS")) {
    const double factor = std::strtod(text, nullptr);
    if (std::isfinite(factor) && factor >= 1 && factor <= 1000) options.slowness = factor;
  }
  const char* accept = std::getenv("BASHCELL_ACCEPT");
  options.accept = accept != nullptr && std::string_view(accept) == "1";
  return options;
}

Player::Player(const Transcript& transcript, PlayerOptions options)
    : transcript_(transcript), options_(std::move(options)), accepted_(transcript.lines) {}

Player::~Player() = default;

PlayResult Player::play() {
  const auto failed = [&](const std::string& where, const Error& error) {
    PlayResult result{false, where + error.message};
    if (program_ && !program_->error_text().empty()) {
      result.failure += "\n  its stderr ends in:" + indented_tail(program_->error_text());
    }
    return result;
  };
  if (const Outcome started = start(); !started) return failed("", started.error());
  bool exited = false;
  for (const Step& step : transcript_.steps) {
    const Outcome outcome = play_step(step);
    if (!outcome) return failed("line " + std::to_string(step.line) + ": ", outcome.error());
    exited = exited || std::holds_alternative<ExpectExit>(step.action);
  }
  if (!exited) {
    program_->close_input();
    if (const Outcome outcome = expect_exit({}); !outcome) return failed("after the last line: ", outcome.error());
    accept_rest(transcript_.lines.size() + 1);
  }
  return {true, "", std::move(accepted_)};
}

Player::Outcome Player::start() {
  PlayedProgram::Options program{options_.argv, options_.environment};
  for (const Step& step : transcript_.steps) {
    program.with_events = program.with_events || std::holds_alternative<AwaitEvent>(step.action);
    const auto* const setup = std::get_if<Setup>(&step.action);
    if (setup == nullptr) continue;
    program.argv.insert(program.argv.end(), setup->arguments.begin(), setup->arguments.end());
    for (const auto& [name, value] : setup->environment) program.environment.push_back(name + "=" + value);
  }
  base::Result<std::unique_ptr<PlayedProgram>> started = PlayedProgram::start(program);
  if (!started) return started.error();
  program_ = std::move(*started);
  return {};
}

Player::Outcome Player::play_step(const Step& step) {
  if (const auto* const sent = std::get_if<Send>(&step.action)) return send(*sent);
  if (const auto* const expected = std::get_if<Expect>(&step.action)) return expect(*expected, step.line);
  if (const auto* const awaited = std::get_if<AwaitEvent>(&step.action)) return await_event(*awaited);
  if (std::holds_alternative<CloseInput>(step.action)) program_->close_input();
  if (const auto* const exit = std::get_if<ExpectExit>(&step.action)) {
    Outcome outcome = expect_exit(*exit);
    if (outcome) accept_rest(step.line);
    return outcome;
  }
  return {};
}

Player::Outcome Player::send(const Send& step) {
  if (program_->write(step.bytes, deadline(options_.patience))) return {};
  return Error{"the program does not read its input"};
}

Player::Outcome Player::expect(const Expect& step, size_t line_number) {
  const std::optional<std::string> line = program_->next_line(deadline(step.within.value_or(options_.patience)));
  if (!line) {
    return Error{std::string(program_->output_ended() ? "stdout ended" : "no line came in time") + "; expected " +
                 shown(step.message.dump())};
  }
  const json actual = json::parse(*line, nullptr, false);
  if (!actual.is_structured()) return Error{"stdout is not pure: " + shown(*line)};
  const std::optional<std::string> different = difference(step.message, actual, bindings_);
  if (!different) return {};
  if (!options_.accept) return Error{*different + "\n  the whole line: " + shown(*line)};
  accept_line(*line, step, line_number);
  return {};
}

Player::Outcome Player::await_event(const AwaitEvent& step) {
  if (program_->await_event(step.name, deadline(options_.patience))) return {};
  return Error{"the event " + step.name + " did not come"};
}

Player::Outcome Player::expect_exit(const ExpectExit& step) {
  const std::optional<base::ExitStatus> status = program_->wait_exit(deadline(options_.patience));
  if (!status) return Error{"the program did not end in time"};
  if (status->signaled || status->code != step.code) {
    return Error{"expected exit code " + std::to_string(step.code) + ", got " + exit_text(*status)};
  }
  if (step.stderr_matches && !found_in_some_line(*step.stderr_matches, program_->error_text())) {
    return Error{"no line of stderr matches " + *step.stderr_matches};
  }
  return options_.accept ? Outcome{} : no_line_left();
}

Player::Outcome Player::no_line_left() {
  if (program_->waiting_lines().empty()) return {};
  return Error{"stdout has a line that was not expected: " + shown(program_->waiting_lines().front())};
}

void Player::accept_line(const std::string& line, const Expect& step, size_t line_number) {
  accepted_[line_number - 1] = expect_step(line, step);
}

// Lines that no step took are put in front of the step at which they were found to be left.
void Player::accept_rest(size_t before_line) {
  if (!options_.accept) return;
  std::vector<std::string> rest;
  for (const std::string& line : program_->waiting_lines()) rest.push_back(expect_step(line, {}));
  accepted_.insert(accepted_.begin() + static_cast<std::ptrdiff_t>(before_line - 1), rest.begin(), rest.end());
}

base::Instant Player::deadline(base::Duration wait) const {
  return base::now() + base::Duration(std::llround(static_cast<double>(wait.count()) * options_.slowness));
}

FileResult play_file(const std::string& path, const PlayerOptions& options) {
  const base::Result<Transcript> transcript = read_transcript(path);
  if (!transcript) return {FileOutcome::kFailed, transcript.error().message};
  const PlayResult result = Player(*transcript, options).play();
  if (!result.passed) return {FileOutcome::kFailed, path + ": " + result.failure};
  if (!options.accept) return {FileOutcome::kPassed, path + ": passed"};
  std::string text;
  for (const std::string& line : result.lines) text += line + "\n";
  if (const base::Result<void> written = base::write_file(path, text); !written) {
    return {FileOutcome::kFailed, written.error().message};
  }
  return {FileOutcome::kAccepted, path + ": accepted; look at the difference before you commit it"};
}

}  // namespace bashcell::rpc
