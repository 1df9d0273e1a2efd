#include "base/log.h"

#include <unistd.h>

#include <string>

namespace bashcell::base {

void Log::line(LogLevel level, std::string_view message) const {
  if (!enabled(level)) return;
  std::string text = "bashcell: ";
  for (const char c : message) text += (c == '\n' || c == '\r') ? ' ' : c;
  text += '\n';
  // A full or closed stderr is nobody's problem but the reader's: a log line is never worth a failure.
  if (::write(fd_, text.data(), text.size()) < 0) return;
}

}  // namespace bashcell::base
