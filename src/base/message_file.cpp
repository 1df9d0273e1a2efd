#include "base/message_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace bashcell::base {

Result<UniqueFd> make_message_file() {
  UniqueFd fd(::memfd_create("bashcell-messages", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid() || ::ftruncate(fd.get(), kMaxMessageBytes) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return errno_error("cannot make a file in memory");
  }
  return fd;
}

std::string read_messages(const UniqueFd& file) {
  std::string text(kMaxMessageBytes, '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  text.resize(std::min(text.find('\0'), text.size()));  // the rest was never written
  return text;
}

}  // namespace bashcell::base
