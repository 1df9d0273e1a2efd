#pragma once
// The shelf on the host: a folder that outlives conversations, shared by all servers of one workspace. FOLDER/entries
// is what cells see (wire/shelf_folder.h); beside it, out of their reach, lie the lock and the drafts of what is
// written.
//
// A script and its provenance are replaced by rename, and a reader sees the old pair or the new one, also after a kill
// at any moment. Everything here blocks for file operations only, but take_lock(). Changes need the lock.

#include <string>
#include <vector>

#include "base/file_lock.h"
#include "base/result.h"
#include "shelf/place.h"
#include "wire/shelf_folder.h"

namespace bashcell::shelf {

class Store {
 public:
  // Makes the folder if it is missing, with its parents, which only the caller may enter; refuses links and what
  // belongs to others. A new one takes the place of those whose workspace is gone and in which nothing was saved.
  static base::Result<Store> open(const Place& place);

  // For CellSpec::shelf.
  std::string entries() const { return folder_ + "/entries"; }

  base::LockAttempt try_lock() const;
  base::LockAttempt take_lock() const;

  // `entry.script` begins with "#!" and is no longer than allowed; its sum is computed here. Replaces one of that name.
  // An error is a sentence, and nothing has changed then.
  base::Result<void> put(const base::FileLock& lock, wire::ShelfEntry entry) const;
  base::Result<void> remove(const base::FileLock& lock, const std::string& name) const;

 private:
  explicit Store(std::string folder) : folder_(std::move(folder)) {}

  base::Result<void> check_version() const;
  base::Result<void> make_room(const std::string& name) const;
  void sweep_entries() const;

  std::string folder_;
};

}  // namespace bashcell::shelf
