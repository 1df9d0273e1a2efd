#pragma once
// What a runner writes into its pipe.

namespace bashcell::supervisor {

// kEnded, before it kNoShell if no bash came of it, or kNoShell alone.
struct RunnerReport {
  enum Kind : int { kNoShell, kEnded };
  int kind = kNoShell;
  int value = 0;  // errno | its wait status
};

}  // namespace bashcell::supervisor
