#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

namespace bashcell::base {

namespace {

Error cannot_open(const std::string& path, int problem) {
  if (problem == ELOOP) return {"cannot lock " + path + ": it is a symbolic link, and a lock must be a regular file"};
  if (problem == EISDIR) return {"cannot lock " + path + ": it is a directory, and a lock must be a regular file"};
  return errno_error("cannot lock " + path, problem);
}

// Whether the open file is still what the path leads to.
bool is_at(int fd, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Nothing: the file was replaced meanwhile.
std::optional<LockAttempt> attempt(const std::string& path, const LockOptions& options) {
  // O_NONBLOCK: a device must not hold us up. On regular files it means nothing.
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (options.create ? O_CREAT : 0);
  UniqueFd fd(::open(path.c_str(), flags, options.mode));
  if (!fd.valid()) return cannot_open(path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return errno_error("cannot lock " + path);
  if (!S_ISREG(info.st_mode)) return Error{"cannot lock " + path + ": it is no regular file"};
  if (::flock(fd.get(), (options.shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return LockBusy{};
    return flock_error(path, errno, options.cure);
  }
  if (!is_at(fd.get(), path)) return std::nullopt;
  return FileLock(std::move(fd));
}

}  // namespace

Error flock_error(const std::string& path, int problem, const std::string& cure) {
  const std::string what = "cannot lock " + path;
  if (problem != EOPNOTSUPP && problem != ENOLCK && problem != ENOSYS && problem != EINVAL) {
    return errno_error(what, problem);
  }
  return {what + ": its file system knows no locks (flock: " + std::strerror(problem) + ")" +
          (cure.empty() ? "" : "; " + cure)};
}

LockAttempt try_lock(const std::string& path, LockOptions options) {
  // Each round has lost against somebody who got the lock and replaced the file.
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    if (std::optional<LockAttempt> result = attempt(path, options)) return std::move(*result);
  }
  return LockBusy{};
}

LockAttempt take_lock(const std::string& path, Duration patience, LockOptions options) {
  const Instant end = now() + patience;
  for (Duration pause{1};; pause = std::min(pause * 2, kLockPoll)) {
    LockAttempt result = try_lock(path, options);
    const Instant time = now();
    if (!std::holds_alternative<LockBusy>(result) || time >= end) return result;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, end - time));
  }
}

}  // namespace bashcell::base
