#include "supervisor/output/capture.h"

#include <algorithm>
#include <utility>

namespace bashcell::supervisor {

namespace {

// Input is cleaned in pieces of this size, so that a caller's large buffer does not become a larger one here.
constexpr size_t kPieceBytes = size_t{16} * 1024;

}  // namespace

// Most output that fits the budget is smaller than this as raw bytes, too, and never touches a file.
Capture::Capture(uint64_t call_id, const base::Meter& meter, std::string hidden_prefix, SpillStore& spills)
    : cleaner_(std::move(hidden_prefix)), trimmer_(meter), spill_(call_id, 4 * meter.limit(), spills) {}

void Capture::add(std::string_view raw) {
  spill_.add(raw);
  while (!raw.empty()) {
    const std::string_view piece = raw.substr(0, kPieceBytes);
    text_.clear();
    gate_.add(piece, text_);
    trim(text_);
    raw.remove_prefix(piece.size());
  }
}

void Capture::trim(std::string_view text) {
  clean_.clear();
  cleaner_.add(text, clean_);
  trimmer_.add(clean_);
}

CaptureResult Capture::finish(size_t budget, size_t notice) && {
  text_.clear();
  gate_.finish(text_);
  trim(text_);
  clean_.clear();
  cleaner_.finish(clean_);
  trimmer_.add(clean_);
  const size_t if_cut = budget - std::min(budget, notice);
  Trimmed trimmed = std::move(trimmer_).finish(gate_.bytes() == 0 ? budget : if_cut, if_cut);
  CaptureResult result;
  result.text = std::move(trimmed.text);
  result.total_lines = trimmed.total_lines;
  result.total_bytes = trimmed.total_bytes + gate_.bytes();
  result.left_out_lines = trimmed.left_out_lines;
  result.left_out_bytes = trimmed.left_out_bytes + gate_.bytes();
  if (result.left_out_bytes == 0) return result;
  Spill::Kept kept = spill_.keep();
  result.spill = std::move(kept.path);
  result.spill_cut = kept.cut;
  result.spill_problem = std::move(kept.problem);
  return result;
}

}  // namespace bashcell::supervisor
