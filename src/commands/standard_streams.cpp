#include "commands/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace bashcell::commands {

base::UniqueFd claim_standard_output() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of the write, as a full disk is
  for (int fd = 0; fd <= 2; ++fd) {
    // open() takes the lowest free number, which is `fd`.
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDWR));
  }
  base::Result<base::UniqueFd> output = base::duplicate(1, 3);
  if (!output) return {};
  ::dup2(2, 1);
  return std::move(*output);
}

int fail(const std::string& why, int status) {
  static_cast<void>(base::write_all(STDERR_FILENO, "bashcell: " + why + "\n"));
  return status;
}

}  // namespace bashcell::commands
