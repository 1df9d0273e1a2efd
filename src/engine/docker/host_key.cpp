#include "engine/docker/host_key.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/fingerprint.h"

namespace bashcell::engine::docker {

std::string host_key() {
  std::string text = "bashcell";
  for (const char* path : {"/etc/machine-id", "/proc/sys/kernel/random/boot_id"}) {
    const base::Result<std::string> id = base::read_file(path, 128);
    if (!id || base::trimmed(*id).empty()) continue;
    text += base::trimmed(*id);
    break;
  }
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) text += fmt::format(":{}", space.st_ino);
  return fmt::format("{:016x}", base::fingerprint(text));
}

}  // namespace bashcell::engine::docker
