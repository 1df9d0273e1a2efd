#pragma once
// One call's output on its way from the pipe to the reply: raw into the spill file, cleaned and trimmed into the text.
//
//   Capture capture(call_id, meter, prefix, spills);   // cheap: a prewarmed bash can have one waiting
//   capture.add(bytes);                                    // as they are read, any pieces
//   CaptureResult result = std::move(capture).finish(meter.limit() - facts, cost_of_the_notice);
//
// A Capture that is dropped without finish() leaves no file behind.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "supervisor/output/binary_gate.h"
#include "supervisor/output/clean.h"
#include "supervisor/output/spill.h"
#include "supervisor/output/trim.h"

namespace bashcell::supervisor {

struct CaptureResult {
  std::string text;            // valid UTF-8, no control characters but newline and tab, no newline at its end
  int64_t total_lines = 0;     // of the cleaned output without newlines at its end
  int64_t total_bytes = 0;     // of the same, and of binary data that is not in it
  int64_t left_out_lines = 0;  // lines of which nothing is shown; 0 is possible when only long lines were cut
  int64_t left_out_bytes = 0;  // 0: `text` is everything
  std::string spill;           // path of the whole raw output; empty when there is none or nothing was left out
  bool spill_cut = false;      // the file reached its size limit: it holds the beginning only
  std::string spill_problem;   // why something was left out and there is no file: a clause without a full stop
};

class Capture {
 public:
  // finish() may be given up to the meter's limit.
  Capture(uint64_t call_id, const base::Meter& meter, std::string hidden_prefix, SpillStore& spills);

  // The next raw bytes. No failure is the caller's: memory stays bounded, and a failed write is a spill_problem.
  void add(std::string_view raw);

  // The text costs at most `budget`, and at most `budget - notice` when something is left out (the
  // caller then adds a status line that says so). Call once.
  CaptureResult finish(size_t budget, size_t notice = 0) &&;

 private:
  void trim(std::string_view text);

  BinaryGate gate_;
  Cleaner cleaner_;
  Trimmer trimmer_;
  Spill spill_;
  std::string text_;   // scratch
  std::string clean_;  // scratch
};

}  // namespace bashcell::supervisor
