#pragma once
// The folder of tools that healing has installed for one kind of root and one user, shared by all servers of this
// machine. FOLDER/tools is what cells see at /run/cell/tools, read-only; beside it lie the lock, the package lists and
// the staging folders in which installer cells work.
//
// What such a cell leaves is untrusted: it is looked at without following a link, and moved in whole or not at all.
// Everything here blocks for file operations only. Changes need the lock.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_lock.h"
#include "base/result.h"
#include "engine/cell_spec.h"
#include "heal/package_table.h"

namespace bashcell::heal {

inline constexpr int64_t kMaxPackageBytes = int64_t{400} << 20;

// What tools are good for: they run on one kind of root only.
struct ToolboxRoot {
  std::string image;   // of a container engine; empty: a root of this machine's
  std::string rootfs;  // a given root file system's folder; empty: this machine's /usr
  uint32_t uid = 0;    // of the cells' user
};
// A name for it, fit for a folder: "debian-12-x86_64-1000", "image-0123456789abcdef-x86_64-1000".
std::string toolbox_key(const ToolboxRoot& root);

// Root: /var/cache/bashcell/toolbox/KEY. Others: the same below $XDG_CACHE_HOME or ~/.cache.
base::Result<std::string> toolbox_folder(const std::string& key);

// What a staging folder has for the toolbox.
struct Arrival {
  std::string place;        // in packages/: "ripgrep", "py-numpy"
  std::string command;      // that has to be among the new ones; empty: none has to
  std::string python = {};  // "3.11": for that version, `place` is a folder of modules
};

class Toolbox {
 public:
  // Makes the folder if it is missing, with its parents, which only the caller may enter. Refuses links and what
  // belongs to others. `user`: of the cells.
  static base::Result<Toolbox> open(const std::string& folder, engine::User user, int64_t max_bytes = kMaxPackageBytes);

  const std::string& folder() const { return folder_; }
  // For CellSpec::toolbox.
  std::string tools() const { return folder_ + "/tools"; }
  const engine::User& user() const { return user_; }
  int64_t max_bytes() const { return max_bytes_; }

  // `name` is a command's or a distribution's, valid as such (package_table.h).
  bool has_command(const std::string& name) const;
  bool has_distribution(const std::string& name) const;
  // The distribution has a package of exactly that name, as far as an earlier install has seen its index.
  bool index_has(const std::string& name) const;

  // Does not wait.
  base::LockAttempt try_lock() const;

  // A new folder that cells of the user can write, with the package lists if they are less than a day old. Removes what
  // earlier installs have left.
  base::Result<std::string> make_staging() const;
  // Moves what the cell has made of it in; of its commands not those that `table` knows of other packages.
  base::Result<void> accept(const std::string& staging, const Arrival& arrival, const PackageTable& table) const;
  // Takes the package lists back and removes the folder, in the background.
  void end_staging(const std::string& staging) const;

 private:
  Toolbox(std::string folder, engine::User user, int64_t max_bytes)
      : folder_(std::move(folder)), user_(user), max_bytes_(max_bytes) {}

  base::Result<void> take_package(const std::string& out, const Arrival& arrival) const;
  base::Result<void> take_commands(const std::string& out, const Arrival& arrival, const PackageTable& table) const;
  base::Result<void> show_to_python(const Arrival& arrival) const;

  std::string folder_;
  engine::User user_;
  int64_t max_bytes_;
};

}  // namespace bashcell::heal
