#include "supervisor/write_command.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/file_lock.h"
#include "supervisor/cell_words.h"
#include "supervisor/lock_command.h"
#include "supervisor/lock_holder.h"

namespace bashcell::supervisor {

namespace {

constexpr mode_t kModeOfNew = 0666;
constexpr mode_t kModeBits = 07777;

struct Request {
  std::string file;
  base::Duration wait = base::kLockPatience;
  std::string problem;
};

Request read_request(const std::vector<std::string>& arguments) {
  Request request;
  request.problem = read_words(arguments, request.wait, [&](const std::string& word) {
    if (!request.file.empty()) return "one file at a time: what is '" + word + "'?";
    request.file = word;
    return std::string();
  });
  if (request.problem.empty() && request.file.empty()) request.problem = "which file?";
  return request;
}

// A file that is being made in a folder, and goes with this object until it gets a name.
class NewFile {
 public:
  static base::Result<NewFile> in(const std::string& folder) {
    NewFile made;
    made.folder_ = folder;
    made.fd_.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    // Not every file system can make files without a name.
    if (!made.fd_.valid() && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL)) {
      made.name_ = folder + "/.cell-write-XXXXXX";
      made.fd_.reset(::mkostemp(made.name_.data(), O_CLOEXEC));
      if (!made.fd_.valid()) made.name_.clear();
    }
    if (!made.fd_.valid()) return base::errno_error("cannot make a file in " + folder);
    return made;
  }
  NewFile(NewFile&& other) noexcept
      : folder_(std::move(other.folder_)), fd_(std::move(other.fd_)), name_(std::exchange(other.name_, {})) {}
  NewFile& operator=(NewFile&&) = delete;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int fd() const { return fd_.get(); }

  // Gives it this name, where nothing has it: else false with EEXIST.
  bool link_as(const std::string& path) {
    if (name_.empty()) return ::linkat(AT_FDCWD, by_number().c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    if (::link(name_.c_str(), path.c_str()) != 0) return false;
    ::unlink(name_.c_str());
    name_.clear();
    return true;
  }

  // Takes the name from what has it.
  bool rename_to(const std::string& path) {
    if (name_.empty() && !take_name()) return false;
    if (::rename(name_.c_str(), path.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  NewFile() = default;

  std::string by_number() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }
  // The process number is the same in many containers: a name that is taken is no error.
  bool take_name() {
    constexpr int kTries = 10'000;
    for (int i = 0; i < kTries; ++i) {
      std::string name = folder_ + "/.cell-write-" + std::to_string(::getpid()) + "-" + std::to_string(i);
      if (link_as(name)) {
        name_ = std::move(name);
        return true;
      }
      if (errno != EEXIST) return false;
    }
    return false;
  }

  std::string folder_;
  base::UniqueFd fd_;
  std::string name_;  // empty while it has none
};

// Appends all that `from` still has. Blocks.
base::Result<void> copy_all(int from, int to, const std::string& what) {
  std::array<char, size_t{1} << 16> buffer{};
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::errno_error("cannot read " + what);
    if (got == 0) return {};
    if (auto written = base::write_all(to, {buffer.data(), static_cast<size_t>(got)}); !written) return written;
  }
}

base::Result<void> keep_rights(const struct stat& old, int fd) {
  struct stat made {};
  if (::fstat(fd, &made) != 0) return base::errno_error("cannot look at the new file");
  if ((made.st_uid != old.st_uid || made.st_gid != old.st_gid) && ::fchown(fd, old.st_uid, old.st_gid) != 0) {
    return base::Error{"it belongs to " + std::to_string(old.st_uid) + ":" + std::to_string(old.st_gid) +
                       ", which this user cannot keep: write into it directly"};
  }
  if (::fchmod(fd, old.st_mode & kModeBits) != 0) return base::errno_error("cannot keep its mode");
  return {};
}

mode_t mode_of_new() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return kModeOfNew & ~mask;
}

// One command's work.
class Writer {
 public:
  Writer(WriteMode mode, const Request& request, std::string path)
      : mode_(mode), request_(request), path_(std::move(path)), folder_(path_.substr(0, path_.rfind('/') + 1)) {}

  // What to exit with; it has been said.
  int run() {
    base::Result<NewFile> input = NewFile::in(folder_);
    if (!input) return fail(kNotDone, input.error().message + unchanged());
    if (const auto copied = copy_all(0, input->fd(), "stdin"); !copied) {
      return fail(kNotDone, copied.error().message + unchanged());
    }
    const char* const holders = ::getenv(kHoldersVariable);  // NOLINT(concurrency-mt-unsafe): there is one thread
    const HeldAbove above = HeldAbove::find(path_, holders == nullptr ? "" : holders);
    const base::Instant end = base::now() + request_.wait;
    for (;;) {
      struct stat info {};
      if (::lstat(path_.c_str(), &info) != 0) {
        if (errno != ENOENT) return fail(kNotDone, base::errno_error("cannot write " + request_.file).message);
        if (make(*input, above)) return 0;
        if (errno != EEXIST) return fail(kNotDone, base::errno_error("cannot make " + request_.file).message);
        continue;
      }
      if (const auto status = replace(*input, above, end)) return *status;
    }
  }

 private:
  std::string unchanged() const { return "; " + request_.file + " is unchanged"; }

  // A new file: nobody waits for its lock. False with errno.
  bool make(NewFile& input, const HeldAbove& above) const {
    if (::fchmod(input.fd(), mode_of_new()) != 0) return false;
    // Whoever holds the lock of this name keeps it, although the file had gone.
    if (above && (::flock(input.fd(), LOCK_EX | LOCK_NB) != 0 || !above.hand_over(input.fd()))) {
      errno = EIO;
      return false;
    }
    return input.link_as(path_);
  }

  // Nothing: the file has gone meanwhile.
  std::optional<int> replace(NewFile& input, const HeldAbove& above, base::Instant end) const {
    const base::LockAttempt lock = take(above, end);
    if (const base::Error* error = std::get_if<base::Error>(&lock)) {
      struct stat info {};
      if (::lstat(path_.c_str(), &info) != 0 && errno == ENOENT) return std::nullopt;
      return fail(kNotDone, error->message + unchanged());
    }
    if (std::holds_alternative<base::LockBusy>(lock)) {
      return fail(kLockBusy, busy_text(request_.file, request_.wait) + "it is unchanged");
    }
    const base::Result<void> done = put(std::get<base::FileLock>(lock).fd(), input, above);
    return done ? 0 : fail(kNotDone, "cannot write " + request_.file + ": " + done.error().message + unchanged());
  }

  // The holder above has locked it for us: then it is only opened.
  base::LockAttempt take(const HeldAbove& above, base::Instant end) const {
    if (!above) {
      const char* const cure = mode_ == WriteMode::kReplace ? "write to it with >" : "write to it with >>";
      return base::take_lock(path_, base::until(end), {.create = false, .cure = cure});
    }
    base::UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.valid()) return base::errno_error("cannot open " + path_);
    return base::FileLock(std::move(fd));
  }

  base::Result<void> put(int old, NewFile& input, const HeldAbove& above) const {
    struct stat info {};
    if (::fstat(old, &info) != 0) return base::errno_error("cannot look at it");
    if (mode_ == WriteMode::kReplace) return put_file(info, input, above);
    base::Result<NewFile> whole = NewFile::in(folder_);
    if (!whole) return whole.error();
    if (auto copied = copy_all(old, whole->fd(), "it"); !copied) return copied;
    if (::lseek(input.fd(), 0, SEEK_SET) != 0) return base::errno_error("cannot read what came");
    if (auto copied = copy_all(input.fd(), whole->fd(), "what came"); !copied) return copied;
    return put_file(info, *whole, above);
  }

  base::Result<void> put_file(const struct stat& old, NewFile& file, const HeldAbove& above) const {
    if (base::Result<void> kept = keep_rights(old, file.fd()); !kept) return kept;
    // Whoever opens the new file by its name finds it locked, as the old one was.
    if (::flock(file.fd(), LOCK_EX | LOCK_NB) != 0) return base::errno_error("cannot lock the new file");
    if (above) {
      if (base::Result<void> handed = above.hand_over(file.fd()); !handed) return handed;
    }
    if (!file.rename_to(path_)) return base::errno_error("cannot rename");
    return {};
  }

  WriteMode mode_;
  const Request& request_;
  std::string path_;
  std::string folder_;
};

}  // namespace

int write_command(WriteMode mode, const std::vector<std::string>& arguments) {
  const Request request = read_request(arguments);
  const std::string name = mode == WriteMode::kReplace ? "write" : "append";
  if (!request.problem.empty()) {
    return fail(kWrongUse,
                name + ": " + request.problem + "\nusage: COMMAND | cell " + name + " FILE [--wait SECONDS]");
  }
  const base::Result<std::string> path = canonical_path(request.file);
  if (!path) return fail(kNotDone, path.error().message);
  return Writer(mode, request, *path).run();
}

}  // namespace bashcell::supervisor
