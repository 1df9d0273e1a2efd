#include "heal/toolbox_check.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/unique_fd.h"
#include "base/utf8.h"

namespace bashcell::heal {

namespace {

constexpr int kMaxDepth = 60;
constexpr int64_t kMaxFiles = 300'000;

struct Walk {
  int64_t max_bytes = 0;
  int64_t bytes = 0;
  int64_t files = 0;
};

base::Error refused(const char* name, const char* why) {
  return base::Error{fmt::format("the package is refused: {} {}", base::printable(name).substr(0, 100), why)};
}

base::Result<void> check_entry(int parent, const char* name, int depth, Walk& walk);

// Takes the folder before it reads it: from then on nobody else adds anything.
base::Result<void> check_folder(int parent, const char* name, int depth, Walk& walk) {
  if (depth > kMaxDepth) return refused(name, "is nested too deeply");
  base::UniqueFd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return base::errno_error(fmt::format("cannot open {}", base::printable(name)));
  if (::fchmod(fd.get(), 0755) != 0) return base::errno_error("cannot set the mode of a folder");
  const int own = fd.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd.release()), ::closedir);
  if (!folder) return base::errno_error("cannot read a folder");
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view text = entry->d_name;
    if (text == "." || text == "..") continue;
    if (base::Result<void> checked = check_entry(own, entry->d_name, depth + 1, walk); !checked) return checked;
  }
  return errno == 0 ? base::Result<void>() : base::errno_error("cannot read a folder");
}

base::Result<void> check_entry(int parent, const char* name, int depth, Walk& walk) {
  struct stat info {};
  if (::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return base::errno_error("cannot look at a file");
  if (++walk.files > kMaxFiles) return base::Error{"the package is refused: it has too many files"};
  walk.bytes += int64_t{info.st_blocks} * 512;
  if (walk.bytes > walk.max_bytes) {
    return base::Error{fmt::format("the package is larger than {} MB", walk.max_bytes >> 20)};
  }
  if (!S_ISLNK(info.st_mode) && (info.st_mode & 07000) != 0) return refused(name, "has rights of its own");
  // Takes such rights away, too, if they were given meanwhile.
  if (::geteuid() == 0 && ::fchownat(parent, name, 0, 0, AT_SYMLINK_NOFOLLOW) != 0) {
    return base::errno_error("cannot take over a file");
  }
  if (S_ISLNK(info.st_mode)) return {};
  if (S_ISDIR(info.st_mode)) return check_folder(parent, name, depth, walk);
  if (!S_ISREG(info.st_mode)) return refused(name, "is no ordinary file");
  return {};
}

}  // namespace

base::Result<void> check_and_own_tree(const std::string& path, int64_t max_bytes) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return base::Error{path + " is no folder"};
  Walk walk{.max_bytes = max_bytes};
  return check_entry(AT_FDCWD, path.c_str(), 0, walk);
}

}  // namespace bashcell::heal
