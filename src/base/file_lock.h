#pragma once
// A lock on a file, between processes: flock(2). Exclusive, unless it is asked for as a shared one.
//
// Advisory: it holds off those who ask for it, too, and nobody else. The kernel releases it when the last descriptor of
// this opening closes, so a holder that is killed leaves nothing behind; the descriptor is close-on-exec and no child
// gets it. It works between containers and users that see the same file system, and not between machines on all of
// them (NFS: nfs(5), local_lock).
//
// The file is made when missing and never truncated, so it may be the very file that is worked on. A file that is
// replaced by rename while somebody waits is no obstacle: what is locked in the end is the file of that name. Who
// replaces a file that it has locked must lock the new one before it renames it (supervisor/write_command.h).

#include <string>
#include <variant>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::base {

class FileLock {
 public:
  // Of a descriptor that flock() has locked already.
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}

  // The locked file, open for reading and writing. Valid until this is destroyed, which releases the lock.
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

// Somebody else holds it, and did so all the time.
struct LockBusy {};

// An Error: there can be no lock at that path, and why; it names the path. Nothing was locked then.
using LockAttempt = std::variant<FileLock, LockBusy, Error>;

inline constexpr Duration kLockPatience{10'000};
inline constexpr Duration kLockPoll{50};

struct LockOptions {
  bool create = true;     // a missing file is made; else it is an Error
  unsigned mode = 0600;   // of a new one, with the umask
  bool shared = false;    // with others that want it so; who wants it alone waits for all of them
  std::string cure = {};  // said where the file system knows no locks: what to do then
};

// Why flock(2) failed with `problem`, for those who call it themselves; `cure` as above.
Error flock_error(const std::string& path, int problem, const std::string& cure);

// At once. The last component must not be a symbolic link, and what is there must be a regular file that we may read
// and write.
LockAttempt try_lock(const std::string& path, LockOptions options = {});

// Blocks: asks again after a few milliseconds at first, then every kLockPoll, for as long as `patience` by the
// monotonic clock. There is no queue: who comes later may get it earlier.
LockAttempt take_lock(const std::string& path, Duration patience = kLockPatience, LockOptions options = {});

}  // namespace bashcell::base
