#pragma once
// What a finished call looks like to the model: the output, then at most one status line. Pure.
//
// The output comes from the cell and is treated as hostile: whatever it holds, the result is valid UTF-8 without
// control characters, costs at most the budget, and has no line but its last that begins with "[cell:".

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "engine/cell_spec.h"
#include "sandbox/sandbox.h"

namespace bashcell::tools {

struct RenderContext {
  std::string_view
      script;  // as it was run: tells an excusable exit 1 (grep, diff, cmp, test) in a pipeline from others
  base::Duration timeout{30'000};
  base::Budget budget;
  engine::CellSpec limits;           // for naming a limit that was hit
  sandbox::SessionLimits session;    // the same
  std::vector<std::string> healing;  // clauses: what was done about things that the script lacked (heal/healer.h)
};

struct Rendered {
  std::string text;
  bool is_error = false;
  int exit_code = 0;  // of the script; 124 when it timed out, 125 when it did not run or its end is unknown
};

Rendered render(const sandbox::CallReport& report, const RenderContext& context);

}  // namespace bashcell::tools
