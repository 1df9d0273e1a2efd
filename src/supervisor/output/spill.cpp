#include "supervisor/output/spill.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace bashcell::supervisor {

namespace {

constexpr std::array<const char*, 2> kFolders{".cell", "out"};
// O_NONBLOCK: a FIFO put there in place of a folder or file must not hold up PID 1.
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kFileFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kReadFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// Of an open file; nothing that a file has when that fails.
FileIdentity identity_of(const base::UniqueFd& file) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

}  // namespace

SpillStore::SpillStore(std::string parent, SpillLimits limits) : parent_(std::move(parent)), limits_(limits) {}

std::string SpillStore::path_of(uint64_t call_id) const {
  std::string path = parent_;
  for (const char* name : kFolders) path += std::string("/") + name;
  return path + '/' + std::to_string(call_id);
}

base::Result<base::UniqueFd> SpillStore::open_folder() const {
  std::string path = parent_;
  base::UniqueFd folder(::open(path.c_str(), kFolderFlags));
  if (!folder.valid()) return base::errno_error("cannot open " + path);
  for (const char* name : kFolders) {
    path += std::string("/") + name;
    if (::mkdirat(folder.get(), name, 0700) != 0 && errno != EEXIST) return base::errno_error("cannot create " + path);
    base::UniqueFd next(::openat(folder.get(), name, kFolderFlags));
    if (!next.valid()) return base::errno_error("cannot open " + path);
    folder = std::move(next);
  }
  return folder;
}

bool SpillStore::reserve(size_t bytes) {
  if (bytes > limits_.all_bytes) return false;
  while (used_bytes_ > limits_.all_bytes - bytes && !kept_.empty()) delete_oldest();
  if (used_bytes_ > limits_.all_bytes - bytes) return false;
  used_bytes_ += bytes;
  return true;
}

void SpillStore::keep(uint64_t call_id, size_t bytes, FileIdentity identity) {
  kept_.push_back({call_id, bytes, identity});
  while (kept_.size() > limits_.files) delete_oldest();
}

base::Result<base::UniqueFd> SpillStore::open_kept(uint64_t call_id) const {
  const auto kept =
      std::find_if(kept_.rbegin(), kept_.rend(), [&](const File& file) { return file.call_id == call_id; });
  if (kept == kept_.rend()) return base::Error{path_of(call_id) + " is not kept"};
  const base::Result<base::UniqueFd> folder = open_folder();
  if (!folder) return folder.error();
  base::UniqueFd file(::openat(folder->get(), std::to_string(call_id).c_str(), kReadFlags));
  if (!file.valid()) return base::errno_error("cannot open " + path_of(call_id));
  if (kept->identity != identity_of(file)) return base::Error{path_of(call_id) + " was replaced"};
  return file;
}

void SpillStore::delete_oldest() {
  const File oldest = kept_.front();
  kept_.pop_front();
  release(oldest.bytes);
  // Not there any more, or something else by now: scripts may do that. Only the name is removed, whatever it is.
  const base::Result<base::UniqueFd> folder = open_folder();
  if (folder) ::unlinkat(folder->get(), std::to_string(oldest.call_id).c_str(), 0);
}

Spill::Spill(uint64_t call_id, size_t hold_bytes, SpillStore& store)
    : call_id_(call_id), hold_bytes_(hold_bytes), store_(store) {}

Spill::~Spill() { discard(); }

void Spill::add(std::string_view raw) {
  if (cut_ || !problem_.empty()) return;
  if (!holding_) return write(raw);
  if (held_.size() + raw.size() <= hold_bytes_) {
    held_ += raw;
    return;
  }
  write_held();
  write(raw);
}

void Spill::write_held() {
  holding_ = false;
  if (const base::Result<void> created = create(); !created) return fail(created.error().message);
  write(std::exchange(held_, {}));
}

base::Result<void> Spill::create() {
  base::Result<base::UniqueFd> folder = store_.open_folder();
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  const std::string name = std::to_string(call_id_);
  if (::unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno == EISDIR) {
    ::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR);
  }
  file_.reset(::openat(folder_.get(), name.c_str(), kFileFlags, 0600));
  if (!file_.valid()) return base::errno_error("cannot create " + store_.path_of(call_id_));
  return {};
}

void Spill::write(std::string_view raw) {
  if (cut_ || !problem_.empty()) return;
  const size_t room = store_.limits().file_bytes - reserved_bytes_;
  if (raw.size() > room) {
    raw = raw.substr(0, room);
    cut_ = true;
  }
  if (!store_.reserve(raw.size())) {
    cut_ = true;
    return;
  }
  reserved_bytes_ += raw.size();
  const base::Result<void> written = base::write_all(file_.get(), raw);
  if (!written) fail(written.error().message);
}

void Spill::fail(std::string why) {
  discard();
  problem_ = std::move(why);
}

void Spill::discard() {
  held_ = {};
  if (!file_.valid()) return;
  if (is_in(folder_.get())) ::unlinkat(folder_.get(), std::to_string(call_id_).c_str(), 0);
  file_.reset();
  store_.release(std::exchange(reserved_bytes_, 0));
}

bool Spill::is_in(int folder) const {
  struct stat there {};
  return ::fstatat(folder, std::to_string(call_id_).c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         identity_of(file_) == FileIdentity{there.st_dev, there.st_ino};
}

Spill::Kept Spill::keep() {
  if (holding_ && problem_.empty()) write_held();
  if (problem_.empty()) {
    // The path is going to be named: it must lead to this file.
    const base::Result<base::UniqueFd> folder = store_.open_folder();
    if (!folder || !is_in(folder->get())) fail(store_.path_of(call_id_) + " was moved or deleted");
  }
  if (!problem_.empty()) return {{}, false, problem_};
  store_.keep(call_id_, std::exchange(reserved_bytes_, 0), identity_of(file_));
  file_.reset();
  folder_.reset();
  return {store_.path_of(call_id_), cut_, {}};
}

}  // namespace bashcell::supervisor
