#pragma once
// Each limit of a cell as it was wanted and as PID 1 measured it inside, for `bashcell doctor`. Pure.

#include <string>
#include <vector>

#include "engine/cell_spec.h"
#include "wire/messages.h"

namespace bashcell::commands {

struct LimitRow {
  bool ok = true;
  bool required = true;  // false: only a number of the cgroup's, which --limits best-effort does without
  std::string what;
  std::string wanted;
  std::string found;
};

// Judged as the sandbox judges it (sandbox/limit_check.h).
std::vector<LimitRow> limit_rows(const engine::CellSpec& spec, const wire::CellFacts& facts);

}  // namespace bashcell::commands
