#include "heal/toolbox_sweep.h"

#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "base/file.h"

namespace bashcell::heal {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPath = 4096;
constexpr base::Duration kPatience{1'000};  // a sweep holds the lock for one rename

std::string use_file(const std::string& folder) { return folder + "/use"; }
std::string root_file(const std::string& folder) { return folder + "/root"; }

bool is_needless(const std::string& folder, std::time_t now) {
  struct stat use {};
  if (::lstat(use_file(folder).c_str(), &use) != 0) return false;
  if (now - use.st_mtime > kToolboxKept) return true;
  const base::Result<std::string> rootfs = base::read_file(root_file(folder), kMaxPath);
  if (!rootfs || !rootfs->starts_with("/")) return false;
  struct stat root {};
  return ::stat(rootfs->c_str(), &root) != 0 && errno == ENOENT;
}

}  // namespace

base::Result<ToolboxUse> ToolboxUse::begin(const std::string& folder, engine::User user, const std::string& rootfs) {
  // Another server may sweep it away between the two steps, once or twice.
  constexpr int kRounds = 3;
  base::Error problem{"cannot use the toolbox " + folder};
  for (int round = 0; round < kRounds; ++round) {
    if (const auto toolbox = Toolbox::open(folder, user); !toolbox) return toolbox.error();
    base::LockAttempt lock = base::take_lock(use_file(folder), kPatience, {.shared = true});
    if (auto* locked = std::get_if<base::FileLock>(&lock)) {
      ::futimens(locked->fd(), nullptr);
      if (!rootfs.empty() && !fs::exists(root_file(folder))) {
        if (const auto written = base::write_file(root_file(folder), rootfs); !written) return written.error();
      }
      return ToolboxUse(std::move(*locked));
    }
    if (const auto* error = std::get_if<base::Error>(&lock)) problem = *error;
  }
  return problem;
}

void sweep_toolboxes(const std::string& folder, std::time_t now) {
  const fs::path own(folder);
  std::error_code error;
  std::vector<std::string> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(own.parent_path(), error)) {
    if (entry.is_directory(error) && !entry.is_symlink(error) && entry.path() != own) others.push_back(entry.path());
  }
  for (const std::string& other : others) {
    if (fs::path(other).filename().string().starts_with("old-")) {
      remove_soon(other);
      continue;
    }
    // One from before there were such files is as old as this sweep.
    const base::LockAttempt lock = base::try_lock(use_file(other));
    if (std::holds_alternative<base::FileLock>(lock) && is_needless(other, now)) remove_soon(other);
  }
}

void remove_soon(const std::string& path) {
  const fs::path place(path);
  const std::string name = place.filename().string();
  std::string old = name.starts_with("old-") ? path : (place.parent_path() / ("old-" + name)).string();
  if (old != path && ::rename(path.c_str(), old.c_str()) != 0) old = path;
  std::thread([old = std::move(old)] {
    std::error_code ignored;
    fs::remove_all(old, ignored);
  }).detach();
}

}  // namespace bashcell::heal
