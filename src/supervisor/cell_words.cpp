#include "supervisor/cell_words.h"

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>

#include "base/unique_fd.h"

namespace bashcell::supervisor {

namespace {

base::Result<base::Duration> wait_option(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  constexpr double kMost = 86'400;
  if (text.empty() || *end != '\0' || !(seconds >= 0 && seconds <= kMost)) {
    return base::Error{"--wait is '" + text + "'; it must be a number of seconds, 0 to 86400"};
  }
  return base::Duration(std::llround(seconds * 1000));
}

}  // namespace

int fail(int status, const std::string& why) {
  static_cast<void>(base::write_all(2, "cell: " + why + "\n"));
  return status;
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::string read_words(const std::vector<std::string>& words, base::Duration& wait,
                       const std::function<std::string(const std::string&)>& take) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--wait") {
      if (std::string problem = take(words[i]); !problem.empty()) return problem;
      continue;
    }
    ++i;
    const base::Result<base::Duration> read = wait_option(i < words.size() ? words[i] : "");
    if (!read) return read.error().message;
    wait = *read;
  }
  return {};
}

}  // namespace bashcell::supervisor
