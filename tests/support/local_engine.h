#pragma once
// An engine that starts bashcell-init as a plain child of this process: no container, no limits. For tests only, so
// that most of the supervisor's behaviour can be tested where no container runs; never linked into bashcell.

#include <string>

#include "engine/engine.h"

namespace bashcell::testing {

class LocalEngine : public engine::Engine {
 public:
  // `folder` must exist and outlive the engine; run folder, workspace, home and spills are made in it.
  explicit LocalEngine(std::string folder);

  std::string_view name() const override { return "local"; }
  base::Result<std::unique_ptr<engine::Cell>> start(const engine::CellSpec& spec) override;
  std::vector<engine::Finding> examine(const engine::CellSpec& spec) override;

 private:
  std::string folder_;
  int started_ = 0;
};

}  // namespace bashcell::testing
