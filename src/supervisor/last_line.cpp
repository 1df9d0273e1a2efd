#include "supervisor/last_line.h"

#include <algorithm>

#include "base/file.h"
#include "base/utf8.h"
#include "supervisor/output/clean.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kKept = 4096;
constexpr size_t kMaxCharacters = 200;

std::string_view beginning_of(std::string_view line) {
  size_t bytes = 0;
  for (size_t count = 0; bytes < line.size() && count < kMaxCharacters; ++count) {
    bytes += base::utf8_step(line.substr(bytes)).length;
  }
  return line.substr(0, bytes);
}

}  // namespace

void LastLine::add(std::string_view raw) {
  cut_ = cut_ || tail_.size() + raw.size() > kKept;
  if (raw.size() >= kKept) {
    tail_ = raw.substr(raw.size() - kKept);
    return;
  }
  if (tail_.size() + raw.size() > kKept) tail_.erase(0, tail_.size() + raw.size() - kKept);
  tail_ += raw;
}

std::string LastLine::text() const {
  std::string_view whole = tail_;
  // It may begin in the middle of anything.
  if (const size_t newline = whole.find('\n'); cut_ && newline != std::string_view::npos) {
    whole.remove_prefix(newline + 1);
  }
  Cleaner cleaner;
  std::string clean;
  cleaner.add(whole, clean);
  cleaner.finish(clean);
  const std::string_view lines = base::trimmed(clean);
  const std::string_view last = lines.substr(std::min(lines.rfind('\n') + 1, lines.size()));
  const std::string_view shown = beginning_of(base::trimmed(last));
  return std::string(shown) + (shown.size() < base::trimmed(last).size() ? "…" : "");
}

}  // namespace bashcell::supervisor
