#pragma once
// The whole raw output of a call, in a file in the cell, for the case that the reply cannot hold it.
//
// The folder belongs to the scripts' user, so scripts may delete, replace or link anything in it at any time. That may
// cost a file; it never makes PID 1 block, follow a link, or write elsewhere: every step is relative to a directory
// descriptor opened with O_NOFOLLOW, and a file is only written if this call has created it (O_EXCL).
// Nothing here fails a call: what goes wrong is kept as a sentence. SIGXFSZ must be ignored.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::supervisor {

struct SpillLimits {
  size_t file_bytes = 32U << 20U;
  size_t all_bytes = 96U << 20U;
  size_t files = 1000;
};

// Tells a file from another that later has its name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// The folder PARENT/.cell/out and the account of what lies in it. One per supervisor; outlives its spills.
class SpillStore {
 public:
  explicit SpillStore(std::string parent = "/tmp", SpillLimits limits = {});
  SpillStore(const SpillStore&) = delete;
  SpillStore& operator=(const SpillStore&) = delete;

  const SpillLimits& limits() const { return limits_; }
  std::string path_of(uint64_t call_id) const;
  // The folder as it is now; made, with mode 0700, where it is missing.
  base::Result<base::UniqueFd> open_folder() const;

  // Accounts for `bytes` more of a file that is being written. The oldest kept files are deleted to stay within the
  // limits; false, and nothing accounted, if that is not enough.
  bool reserve(size_t bytes);
  // A file of so many reserved bytes was deleted.
  void release(size_t bytes) { used_bytes_ -= bytes; }
  // A file of so many reserved bytes is complete, and may be deleted for a newer one.
  void keep(uint64_t call_id, size_t bytes, FileIdentity identity);
  // That file, to be read: an error when something else lies there by now, or nothing.
  base::Result<base::UniqueFd> open_kept(uint64_t call_id) const;

 private:
  struct File {
    uint64_t call_id = 0;
    size_t bytes = 0;
    FileIdentity identity;
  };

  void delete_oldest();

  std::string parent_;
  SpillLimits limits_;
  size_t used_bytes_ = 0;
  std::deque<File> kept_;  // oldest first
};

// One call's file. The first bytes are held in memory; the file is made when there are more than `hold_bytes`.
class Spill {
 public:
  // `path` is empty when there is no file: then `problem` says why.
  struct Kept {
    std::string path;
    bool cut = false;  // the file reached a size limit and holds the beginning only
    std::string problem;
  };

  Spill(uint64_t call_id, size_t hold_bytes, SpillStore& store);
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;
  ~Spill();  // a file that was not kept is deleted

  void add(std::string_view raw);

  // Writes what is still held and leaves the file to the store. Call once.
  Kept keep();

 private:
  void write_held();
  void write(std::string_view raw);
  base::Result<void> create();
  void fail(std::string why);
  void discard();
  bool is_in(int folder) const;

  uint64_t call_id_;
  size_t hold_bytes_;
  SpillStore& store_;
  std::string held_;
  base::UniqueFd folder_;
  base::UniqueFd file_;
  size_t reserved_bytes_ = 0;
  bool holding_ = true;
  bool cut_ = false;
  std::string problem_;  // not empty: nothing is written any more
};

}  // namespace bashcell::supervisor
