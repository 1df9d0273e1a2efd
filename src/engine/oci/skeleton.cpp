#include "engine/oci/skeleton.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/file_lock.h"
#include "engine/oci/skeleton_build.h"
#include "engine/private_folder.h"

namespace bashcell::engine::oci {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "bashcell-skeleton-1 " BASHCELL_VERSION;

// FNV-1a: stable over runs and machines, and nobody attacks it (the folder is private).
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0);
  }
  void add(uint64_t number) {
    for (int i = 0; i < 8; ++i) step(static_cast<unsigned char>(number >> (8 * i)));
  }
  uint64_t value() const { return value_; }

 private:
  void step(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  uint64_t value_ = 0xcbf29ce484222325;
};

void add_state(Fingerprint& print, const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return;
  print.add(info.st_ino);
  print.add(static_cast<uint64_t>(info.st_size));
  print.add(static_cast<uint64_t>(info.st_mtim.tv_sec));
  print.add(static_cast<uint64_t>(info.st_mtim.tv_nsec));
}

// Files below a folder are replaced by rename on every system with a package manager, which its folder's time tells.
void add_source(Fingerprint& print, const std::string& source) {
  add_state(print, source);
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(source, error))) return;
  for (fs::recursive_directory_iterator it(source, error), end; !error && it != end; it.increment(error)) {
    // In this order the kind that readdir(3) gave suffices, without a stat(2) for each of some 600 links.
    if (!it->is_symlink(error) && it->is_directory(error)) add_state(print, it->path());
  }
}

base::Result<base::UniqueFd> open_folder(const std::string& path) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd.valid()) return base::errno_error("cannot open " + path);
  return fd;
}

base::Error cannot_lock(const std::string& path, int problem) {
  return base::flock_error(path, problem, use_another_place("/run", "XDG_RUNTIME_DIR"));
}

// A shared hold on the folder, if it is still the one of that name once we have it.
base::Result<Skeleton> hold(const std::string& path) {
  base::Result<base::UniqueFd> fd = open_folder(path);
  if (!fd) return fd.error();
  if (::flock(fd->get(), LOCK_SH | LOCK_NB) != 0) return cannot_lock(path, errno);
  struct stat held {};
  struct stat named {};
  if (::fstat(fd->get(), &held) != 0 || ::stat(path.c_str(), &named) != 0 || held.st_ino != named.st_ino) {
    return base::Error{path + " was removed by another server"};
  }
  return Skeleton{path, std::move(*fd)};
}

// The folder itself, locked: shared while somebody takes or builds a skeleton in it, exclusive while some are
// condemned. So a skeleton cannot be condemned between its appearing and its being held. `how` as for flock(2).
base::Result<base::UniqueFd> lock_folder(const std::string& folder, int how) {
  base::Result<base::UniqueFd> fd = open_folder(folder);
  if (!fd) return fd;
  while (::flock(fd->get(), how) != 0) {
    if (errno != EINTR) return cannot_lock(folder, errno);
  }
  return fd;
}

// Removes skeletons that nobody holds, and what a builder that died left behind. While others take theirs nothing is
// condemned: the next builder will.
void prune(const std::string& folder, const std::string& keep) {
  std::vector<std::string> condemned;
  std::error_code error;
  {
    const base::Result<base::UniqueFd> alone = lock_folder(folder, LOCK_EX | LOCK_NB);
    if (!alone) return;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      const std::string path = entry.path();
      if (path == keep) continue;
      const base::Result<base::UniqueFd> fd = open_folder(path);
      if (!fd || ::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) continue;
      std::string old = fmt::format("{}/old-{}-{}", folder, ::getpid(), entry.path().filename().string());
      if (::rename(path.c_str(), old.c_str()) == 0) condemned.push_back(std::move(old));
    }
  }
  for (const std::string& path : condemned) fs::remove_all(path, error);
}

// Builds it beside its place, held from the beginning, and moves it there.
base::Result<Skeleton> build(const std::string& folder, const std::string& path, const RootPlan& plan) {
  std::string temporary = folder + "/new-XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr) return base::errno_error("cannot make a folder in " + folder);
  base::Result<Skeleton> held = hold(temporary);
  const base::Result<void> built = held ? build_skeleton(temporary, plan) : base::Result<void>(held.error());
  std::error_code error;
  if (!built) {
    fs::remove_all(temporary, error);
    return built.error();
  }
  if (::rename(temporary.c_str(), path.c_str()) == 0) return Skeleton{path, std::move(held->in_use)};
  const int problem = errno;
  fs::remove_all(temporary, error);
  if (problem == EEXIST || problem == ENOTEMPTY) return hold(path);  // another server was faster: its folder is as good
  return base::errno_error("cannot rename " + temporary, problem);
}

}  // namespace

std::string skeleton_key(const RootPlan& plan) {
  Fingerprint print;
  print.add(kFormat);
  for (const RootEntry& entry : plan) {
    print.add(static_cast<uint64_t>(entry.kind));
    print.add(entry.path);
    print.add(entry.source);
    print.add(entry.content);
    print.add(entry.mode);
    if (entry.kind == RootEntry::Kind::kCopy) add_source(print, entry.source);
  }
  return fmt::format("{:016x}", print.value());
}

base::Result<Skeleton> acquire_skeleton(const std::string& folder, const RootPlan& plan) {
  std::string path = fmt::format("{}/root-{}", folder, skeleton_key(plan));
  // Cleaners of /tmp remove single old files. A skeleton there serves for one day only, so that it never gets old.
  if (folder.rfind("/tmp/", 0) == 0) path += fmt::format("-{}", ::time(nullptr) / 86'400);
  base::Result<base::UniqueFd> taking = lock_folder(folder, LOCK_SH);
  if (!taking) return base::Error{"cannot prepare the cell's root: " + taking.error().message};
  if (base::Result<Skeleton> held = hold(path)) return held;
  base::Result<Skeleton> built = build(folder, path, plan);
  taking->reset();
  if (!built) return base::Error{"cannot prepare the cell's root: " + built.error().message};
  prune(folder, path);
  return built;
}

}  // namespace bashcell::engine::oci
