#pragma once
// What the protocol needs to know of a tool, and what a tool may do with a call. The one hinge between mcp and the
// rest.
//
// Everything here happens on the event loop's thread, and nothing may block.

#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/result.h"

namespace bashcell::mcp {

// As sent in tools/list. `annotations` and `meta` are objects, left out when empty.
struct ToolDefinition {
  std::string name;
  std::string description;
  nlohmann::json input_schema = nlohmann::json::object();
  nlohmann::json annotations = nlohmann::json::object();
  nlohmann::json meta = nlohmann::json::object();
};

// One text block. `is_error`: the call did not run to its own end (design: policies).
struct ToolResult {
  std::string text;  // valid UTF-8, not empty
  bool is_error = false;
};

// One tools/call in flight. Owned by the tool until it has finished; dropping it unanswered answers with an internal
// error, so no call is ever forgotten.
class ToolCall {
 public:
  ToolCall() = default;
  ToolCall(const ToolCall&) = delete;
  ToolCall& operator=(const ToolCall&) = delete;
  virtual ~ToolCall() = default;

  // Answers the call; later calls of finish() are ignored. After a cancel this sends nothing (the protocol forbids it).
  virtual void finish(ToolResult result) = 0;
  // Whether the client's own model can be asked: the call came in the legacy era, from a client that has declared
  // `sampling`, and the client may still answer.
  virtual bool can_sample() const = 0;
  // Asks it (sampling/createMessage, with these params); only where can_sample(). `on_answer` is called once, never
  // from inside sample(), with the result or an error, until stop_sampling(), the next sample() or the end of the call.
  // A client may never answer: whoever asks has a deadline.
  virtual void sample(const nlohmann::json& params, std::function<void(base::Result<nlohmann::json>)> on_answer) = 0;
  // The answer is not wanted any more: the client is told, and what it still says is ignored. Idempotent.
  virtual void stop_sampling() = 0;
  // How often the client is told how far the call is; zero: it did not ask for that.
  virtual base::Duration progress_interval() const = 0;
  // What it is told then besides the progress itself: asked each time, with the time since the call came. One line for
  // people; empty: nothing. Setting it replaces the former one.
  virtual void on_progress(std::function<std::string(base::Duration elapsed)> message) = 0;
  // Called at most once, when the client cancels a call that has not finished. Setting it replaces the former one.
  virtual void on_cancel(std::function<void()> action) = 0;
};

class Tool {
 public:
  Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  virtual ~Tool() = default;

  virtual const ToolDefinition& definition() const = 0;
  // `arguments` is an object (an absent one arrives empty). Wrong or missing known arguments are the tool's to answer,
  // as an is_error result that names them; unknown ones are ignored.
  virtual void call(const nlohmann::json& arguments, std::unique_ptr<ToolCall> call) = 0;
};

}  // namespace bashcell::mcp
