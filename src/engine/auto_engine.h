#pragma once
// --engine auto: the first of several engines that works here.
//
// Each is made and tried only when those before it have failed, so that what only a later one needs is never loaded.
// The first whose cell is used is kept from then on: a conversation does not move from one root to another.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace bashcell::engine {

struct EngineChoiceOption {
  std::string name;  // for messages: "oci"
  std::function<std::unique_ptr<Engine>()> make;
  bool images = false;                      // its cells' programs come from an image, not from this machine
  std::optional<LimitsPolicy> limits = {};  // instead of the cell's own: strict where there may be something better
};

class AutoEngine : public Engine {
 public:
  explicit AutoEngine(std::vector<EngineChoiceOption> options) : options_(std::move(options)) {}

  // Of the one in use, or being tried; before the first start "auto".
  std::string_view name() const override;
  // When none works, the error says why each does not, and the one command to begin with; the next start then tries all
  // of them again.
  base::Result<std::unique_ptr<Cell>> start(const CellSpec& spec) override;
  bool preparing() const override;
  bool refused(const std::string& why) override;
  // Of all of them.
  std::vector<Finding> examine(const CellSpec& spec) override;

 private:
  struct Failure {
    size_t option = 0;
    std::string why;
  };
  Engine& engine(size_t option);
  base::Error all_failed(const CellSpec& spec);

  std::vector<EngineChoiceOption> options_;
  std::vector<std::unique_ptr<Engine>> engines_;  // as far as they have been made, in the order of options_
  size_t current_ = 0;                            // the one being tried, or used
  bool on_trial_ = false;                         // it has started a cell, of which nothing is known yet
  bool decided_ = false;
  std::vector<Failure> failures_;  // since all were tried last
};

}  // namespace bashcell::engine
