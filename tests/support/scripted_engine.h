#pragma once
// An engine that fails, answers or dies on cue, and remembers what it was asked for. The cue is given by the test
// through the other end of each cell's stream.

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace bashcell::testing {

class ScriptedEngine : public engine::Engine {
 public:
  std::string_view name() const override { return "scripted"; }
  // Gives the next prepared failure, else a cell whose far end goes to `on_cell` (on the starting thread).
  base::Result<std::unique_ptr<engine::Cell>> start(const engine::CellSpec& spec) override;
  std::vector<engine::Finding> examine(const engine::CellSpec&) override { return findings; }
  bool preparing() const override { return is_preparing; }
  bool refused(const std::string& why) override {
    refusals.push_back(why);
    return has_another;
  }

  std::deque<std::string> failures;
  std::function<void(base::UniqueFd far_end)> on_cell;
  std::vector<engine::CellSpec> started;
  std::vector<engine::Finding> findings;
  std::vector<std::string> refusals;
  bool has_another = false;  // what refused() answers
  bool is_preparing = false;
  int killed = 0;
};

}  // namespace bashcell::testing
