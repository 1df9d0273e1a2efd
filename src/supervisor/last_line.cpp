#include "supervisor/last_line.h"

#include <algorithm>

#include "base/file.h"
#include "base/utf8.h"
#include "supervisor/output/clean.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kKept = 4096;
constexpr int64_t kMaxCharacters = 200;

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
  const std::string_view last = base::trimmed(lines.substr(std::min(lines.rfind('\n') + 1, lines.size())));
  const std::string_view shown = base::utf8_characters(last, kMaxCharacters);
  return std::string(shown) + (shown.size() < last.size() ? "…" : "");
}

}  // namespace bashcell::supervisor
