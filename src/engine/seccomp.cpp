#include "engine/seccomp.h"

#include <unistd.h>

#include "embedded/seccomp.h"

namespace bashcell::engine {

nlohmann::json seccomp_profile() { return nlohmann::json::parse(embedded::kSeccompProfile); }

bool seccomp_supported() {
  // Every kernel with filters lists what they can do; "Seccomp:" in /proc/self/status is there without filters, too.
  return ::access("/proc/sys/kernel/seccomp/actions_avail", F_OK) == 0;
}

}  // namespace bashcell::engine
