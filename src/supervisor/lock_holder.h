#pragma once
// What `cell lock` and the commands under it have to say to each other.
//
// A command that runs under `cell lock F` may itself lock F or replace it (`cell write F`): it must not wait for its
// own ancestor, and the file that takes F's name must be locked from its first moment, and stay so until the ancestor
// lets go. So the holder listens on an abstract socket (unix(7)) that CELL_LOCKS names to its descendants, says whether
// it holds F, and keeps the lock of a file that is about to become F.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::supervisor {

inline constexpr const char* kHoldersVariable = "CELL_LOCKS";

// The holder's side.
class LockHolder {
 public:
  // `file`: its canonical path (canonical_path()).
  explicit LockHolder(std::string file) : file_(std::move(file)) {}

  base::Result<void> listen();
  // What CELL_LOCKS is to be for descendants: `outer`, what it is for us, and this holder.
  std::string environment(const std::string& outer) const;
  // Ready to read: somebody asks; then call answer(). Never blocks for long: whoever asks has sent before it waits.
  int fd() const { return listening_.get(); }
  void answer();

 private:
  std::string file_;
  std::string name_;
  base::UniqueFd listening_;
  base::UniqueFd replacement_;  // the lock of the file that has, or is about to have, the name by now
};

// The side of the commands. Blocks for an answer, for five seconds at most.
class HeldAbove {
 public:
  // `holders`: the value of CELL_LOCKS. Whoever does not answer does not hold it.
  static HeldAbove find(const std::string& file, const std::string& holders);

  // One of the holders has locked the file.
  explicit operator bool() const { return !holder_.empty(); }
  // Has the holder keep the lock of this open file, too. Only where there is a holder.
  base::Result<void> hand_over(int fd) const;

 private:
  std::string file_;
  std::string holder_;
};

// The path with its folder resolved, its last component as it is. An error when there is no such folder.
base::Result<std::string> canonical_path(const std::string& path);

}  // namespace bashcell::supervisor
