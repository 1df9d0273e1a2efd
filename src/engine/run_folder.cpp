#include "engine/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "base/unique_fd.h"

namespace bashcell::engine {

namespace {

constexpr std::array kMountPoints = {"/tools", "/shelf"};

// One of an earlier version has not every place yet.
base::Result<void> complete(const std::string& path) {
  for (const char* point : kMountPoints) {
    const std::string folder = path + point;
    const bool made = ::mkdir(folder.c_str(), 0700) == 0;
    if (made ? ::chmod(folder.c_str(), 0755) == 0 : errno == EEXIST) continue;
    return base::errno_error("cannot make the folder " + folder);
  }
  return {};
}

base::Result<void> build(const std::string& path) {
  for (const std::string& folder : {path, path + "/bin"}) {
    if (::mkdir(folder.c_str(), 0700) != 0 || ::chmod(folder.c_str(), 0755) != 0) {
      return base::errno_error("cannot make the folder " + folder);
    }
  }
  if (base::Result<void> made = complete(path); !made) return made;
  for (const char* name : {"bashcell-init", "control"}) {
    const std::string place = fmt::format("{}/{}", path, name);
    const base::UniqueFd file(::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
    if (!file.valid()) return base::errno_error("cannot make " + place);
  }
  for (const RunLink& link : kRunLinks) {
    if (::symlink(link.target, (path + "/" + link.path).c_str()) != 0) {
      return base::errno_error(fmt::format("cannot make the link {}/{}", path, link.path));
    }
  }
  return {};
}

}  // namespace

base::Result<void> ensure_run_folder(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return complete(path);
  const std::string draft = fmt::format("{}.{}", path, ::getpid());
  std::error_code ignored;
  std::filesystem::remove_all(draft, ignored);
  if (base::Result<void> built = build(draft); !built) return built;
  // Another server may have been quicker: then its folder is as good.
  const bool mine = ::rename(draft.c_str(), path.c_str()) == 0;
  const int error_number = errno;
  if (mine) return {};
  std::filesystem::remove_all(draft, ignored);
  if (error_number == EEXIST || error_number == ENOTEMPTY) return {};
  return base::errno_error("cannot make the folder " + path, error_number);
}

}  // namespace bashcell::engine
