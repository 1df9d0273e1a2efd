#pragma once
// Log lines for people, on stderr. Never script text, never secrets (P12): ids, sizes, codes and causes.

#include <string_view>

namespace bashcell::base {

enum class LogLevel { kQuiet, kError, kInfo, kDebug };

// Cheap to copy; safe from any thread (one write() per line). Passed by value to whoever has something to say.
class Log {
 public:
  explicit Log(LogLevel level = LogLevel::kError, int fd = 2) : level_(level), fd_(fd) {}

  bool enabled(LogLevel level) const { return level <= level_; }
  void error(std::string_view message) const { line(LogLevel::kError, message); }
  void info(std::string_view message) const { line(LogLevel::kInfo, message); }
  void debug(std::string_view message) const { line(LogLevel::kDebug, message); }

 private:
  void line(LogLevel level, std::string_view message) const;

  LogLevel level_;
  int fd_;
};

}  // namespace bashcell::base
