#pragma once
// The client's own model, over the open connection (sampling/createMessage). For one call, whose client has declared
// sampling.

#include <nlohmann/json.hpp>

#include "heal/repair_model.h"

namespace bashcell::heal {

// How a call asks its client: as mcp::ToolCall::sample and stop_sampling.
struct Sampling {
  std::function<void(const nlohmann::json& params, std::function<void(base::Result<nlohmann::json>)> on_answer)> ask;
  std::function<void()> stop;
};

class ClientModel final : public Model {
 public:
  explicit ClientModel(Sampling sampling) : sampling_(std::move(sampling)) {}
  ~ClientModel() override { sampling_.stop(); }

  // One question at a time: a new one ends the former. A client that never answers is never given up by itself.
  Cancel ask(const Question& question, base::Instant deadline, OnAnswer on_answer) override;

 private:
  Sampling sampling_;
};

}  // namespace bashcell::heal
