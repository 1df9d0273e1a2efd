#include "supervisor/clean_stream.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "supervisor/output/clean.h"

namespace bashcell::supervisor {

CleanEnd clean_stream(int input, int output) {
  std::vector<char> buffer(size_t{1} << 16);
  Cleaner cleaner;
  std::string clean;
  for (;;) {
    const ssize_t got = ::read(input, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CleanEnd::kFailed;
    clean.clear();
    if (got > 0) cleaner.add({buffer.data(), static_cast<size_t>(got)}, clean);
    if (got == 0) cleaner.finish(clean);
    if (!base::write_all(output, clean)) return errno == EPIPE ? CleanEnd::kReaderGone : CleanEnd::kFailed;
    if (got == 0) return CleanEnd::kAll;
  }
}

}  // namespace bashcell::supervisor
