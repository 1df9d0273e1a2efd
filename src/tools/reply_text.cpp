#include "tools/reply_text.h"

#include <algorithm>

#include "base/utf8.h"

namespace bashcell::tools {

namespace {

bool is_control(char32_t c) { return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F); }

}  // namespace

std::string one_line(std::string_view text, size_t max_bytes) {
  std::string line;
  while (!text.empty()) {
    const base::Utf8Step step = base::utf8_step(text);
    const bool blank = step.code_point == '\n' || step.code_point == '\t' || step.code_point == '\r';
    if (blank) {
      line += ' ';
    } else if (!is_control(step.code_point)) {
      line += step.valid ? text.substr(0, step.length) : base::kReplacementCharacter;
    }
    text.remove_prefix(step.length);
  }
  if (line.size() <= max_bytes) return line;
  return std::string(base::utf8_prefix(line, max_bytes - 3)) + "...";
}

std::string reply_text(std::string_view output, std::string_view status, const base::Meter& meter) {
  // A newline costs most tokens after a capital letter.
  const size_t status_cost = status.empty() ? 0 : meter.cost("A\n" + std::string(status));
  std::string text;
  text.reserve(output.size() + status.size() + 1);
  bool line_start = true;
  while (!output.empty()) {
    if (line_start && output.starts_with("[cell:")) text += ' ';
    const base::Utf8Step step = base::utf8_step(output);
    const char32_t c = step.code_point;
    if (!is_control(c)) {
      text += step.valid ? output.substr(0, step.length) : base::kReplacementCharacter;
      line_start = c == '\n';
    }
    output.remove_prefix(step.length);
  }
  const size_t room = meter.limit() - std::min(meter.limit(), status_cost);
  if (meter.cost(text) > room) text.resize(meter.prefix(text, room).size());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (status.empty()) return text.empty() ? "(no output)" : text;
  if (!text.empty()) text += '\n';
  return text += status;
}

}  // namespace bashcell::tools
