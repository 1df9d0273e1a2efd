#include "engine/oci/skeleton_build.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/unique_fd.h"

namespace bashcell::engine::oci {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxCopiedBytes = 4 << 20;  // of one file: what is larger is no configuration

base::Result<void> make_folder(const std::string& path, unsigned mode) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return base::errno_error("cannot make " + path);
  if (::chmod(path.c_str(), mode) != 0) return base::errno_error("cannot set the mode of " + path);
  return {};
}

base::Result<void> make_file(const std::string& path, std::string_view content, unsigned mode) {
  const base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return base::errno_error("cannot make " + path);
  if (const base::Result<void> written = base::write_all(fd.get(), content); !written) {
    return base::Error{"cannot write " + path + ": " + written.error().message};
  }
  if (::fchmod(fd.get(), mode) != 0) return base::errno_error("cannot set the mode of " + path);
  return {};
}

base::Result<void> make_link(const std::string& path, const std::string& target) {
  if (::symlink(target.c_str(), path.c_str()) != 0) return base::errno_error("cannot make the link " + path);
  return {};
}

base::Result<void> copy_file(const std::string& source, const std::string& path, const struct stat& info) {
  if ((info.st_mode & S_IROTH) == 0 || info.st_size > static_cast<off_t>(kMaxCopiedBytes)) return {};
  const base::Result<std::string> content = base::read_file(source, kMaxCopiedBytes);
  if (!content) return {};  // gone meanwhile: the next start sees that its folder changed
  return make_file(path, *content, (info.st_mode & S_IXOTH) != 0 ? 0755 : 0644);
}

// One file, link or folder, without what is below it.
base::Result<void> copy_one(const std::string& source, const std::string& path) {
  struct stat info {};
  if (::lstat(source.c_str(), &info) != 0) return {};
  if (S_ISDIR(info.st_mode)) return make_folder(path, 0755);
  if (S_ISREG(info.st_mode)) return copy_file(source, path, info);
  if (!S_ISLNK(info.st_mode)) return {};
  std::error_code error;
  const fs::path target = fs::read_symlink(source, error);
  return error ? base::Result<void>() : make_link(path, target);
}

base::Result<void> copy_tree(const std::string& source, const std::string& path) {
  if (base::Result<void> top = copy_one(source, path); !top) return top;
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(source, error))) return {};
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(source, options, error), end; !error && it != end; it.increment(error)) {
    const std::string below = it->path().string().substr(source.size());
    if (base::Result<void> copied = copy_one(it->path(), path + below); !copied) return copied;
  }
  return {};
}

base::Result<void> make_entry(const std::string& path, const RootEntry& entry) {
  switch (entry.kind) {
    case RootEntry::Kind::kFolder:
    case RootEntry::Kind::kBind:
      return make_folder(path, entry.mode);
    case RootEntry::Kind::kFile:
      return make_file(path, entry.content, entry.mode);
    case RootEntry::Kind::kLink:
      return make_link(path, entry.source);
    case RootEntry::Kind::kCopy:
      return copy_tree(entry.source, path);
  }
  return {};
}

}  // namespace

base::Result<void> build_skeleton(const std::string& root, const RootPlan& plan) {
  if (base::Result<void> top = make_folder(root, 0755); !top) return top;
  for (const RootEntry& entry : plan) {
    if (base::Result<void> made = make_entry(root + "/" + entry.path, entry); !made) return made;
  }
  return {};
}

}  // namespace bashcell::engine::oci
