#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/unique_fd.h"

namespace bashcell::base {

Result<std::string> read_file(const std::string& path, size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return errno_error("cannot open " + path);
  std::string content;
  std::array<char, 16384> buffer{};
  while (content.size() < limit) {
    const ssize_t n = ::read(fd.get(), buffer.data(), std::min(buffer.size(), limit - content.size()));
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno_error("cannot read " + path);
    }
    if (n == 0) break;
    content.append(buffer.data(), static_cast<size_t>(n));
  }
  return content;
}

Result<void> write_file(const std::string& path, std::string_view content, unsigned mode) {
  const std::string temporary = path + ".new." + std::to_string(::getpid());
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd.valid()) return errno_error("cannot create " + temporary);
  Result<void> written = write_all(fd.get(), content);
  if (written && ::fchmod(fd.get(), mode) != 0) written = errno_error("cannot set the mode of " + temporary);
  fd.reset();
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = errno_error("cannot rename to " + path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace bashcell::base
