#pragma once
// Compares what a cell was to be with what PID 1 reads inside (P13). Pure: no clock, no files.

#include <string>
#include <vector>

#include "engine/cell_spec.h"
#include "wire/messages.h"

namespace bashcell::sandbox {

struct LimitCheck {
  // Sentences for people, without a full stop: what was to be, and what is.
  std::vector<std::string> hard;  // isolation is missing: such a cell is never used
  std::vector<std::string> soft;  // cgroup numbers: refused unless the policy is best-effort

  bool acceptable(engine::LimitsPolicy policy) const {
    return hard.empty() && (soft.empty() || policy == engine::LimitsPolicy::kBestEffort);
  }
};

// Tighter than asked for is fine. Memory may be rounded up to whole pages; cpu counts as a share (quota / period); swap
// counts only where the machine has swap.
LimitCheck check_limits(const engine::CellSpec& spec, const wire::CellFacts& facts);

}  // namespace bashcell::sandbox
