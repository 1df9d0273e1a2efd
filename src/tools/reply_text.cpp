#include "tools/reply_text.h"

#include "base/utf8.h"

namespace bashcell::tools {

namespace {

bool is_control(char32_t c) { return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c <= 0x9F); }

size_t cost(char32_t c) {
  if (c == '"' || c == '\\' || c == '\n' || c == '\t') return 2;
  return c > 0xFFFF ? 2 : 1;
}

}  // namespace

size_t json_chars(std::string_view text) {
  size_t total = 0;
  while (!text.empty()) {
    const base::Utf8Step step = base::utf8_step(text);
    total += cost(step.code_point);
    text.remove_prefix(step.length);
  }
  return total;
}

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

std::string reply_text(std::string_view output, std::string_view status, size_t max_chars) {
  const size_t status_chars = status.empty() ? 0 : json_chars(status) + 2;
  const size_t room = max_chars > status_chars ? max_chars - status_chars : 0;
  std::string text;
  text.reserve(output.size() + status.size() + 1);
  size_t used = 0;
  bool line_start = true;
  while (!output.empty()) {
    if (line_start && output.starts_with("[cell:")) {
      text += ' ';
      ++used;
    }
    const base::Utf8Step step = base::utf8_step(output);
    const char32_t c = step.code_point;
    if (!is_control(c)) {
      if (used + cost(c) > room) break;
      text += step.valid ? output.substr(0, step.length) : base::kReplacementCharacter;
      used += cost(c);
      line_start = c == '\n';
    }
    output.remove_prefix(step.length);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (status.empty()) return text.empty() ? "(no output)" : text;
  if (!text.empty()) text += '\n';
  return text += status;
}

}  // namespace bashcell::tools
