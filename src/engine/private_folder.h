#pragma once
// The folder in which this user's servers keep bundles, runtime state and skeletons. Nobody else may write there: the
// runtime, maybe as root, does what the files in it say.

#include <optional>
#include <string>

#include "base/result.h"

namespace bashcell::engine {

struct PrivateFolder {
  std::string path;
  // Process ids mean something within one pid namespace only. Servers in another one (a container that shares /tmp or
  // /run with its host) use other folders and another cgroup, so that nobody takes their owners for dead. Empty in the
  // machine's first pid namespace.
  std::string namespace_tag;

  std::string bundles() const { return path + "/bundles"; }
  std::string roots() const { return path + "/roots"; }
  std::string state(const std::string& runtime_name) const { return path + "/state-" + runtime_name; }
  // The cgroup under which a root server puts its cells.
  std::string cgroup_parent() const { return "/bashcell" + namespace_tag; }
};

// Root: /run/bashcell. Else $XDG_RUNTIME_DIR/bashcell, else /tmp/bashcell-UID. Made if missing; refused unless it is a
// real folder (no link) of the caller's that only the caller may enter. `chosen` replaces the usual place.
base::Result<PrivateFolder> open_private_folder(const std::string& chosen = {});

// The same check for one folder, made 0700 if missing.
base::Result<void> make_private(const std::string& path);
// For what cells read, whose users are others: made 0755 if missing, refused unless it is a real folder.
base::Result<void> make_open(const std::string& path);

// Where this user's programs keep what lasts: `for_root`, else the folder that the environment's `variable` names, else
// `below_home` in HOME. Nothing when neither is set.
std::optional<std::string> lasting_folder(const char* for_root, const char* variable, const char* below_home);

// What to do where a folder of these is on a file system that cannot serve: "let VARIABLE name ...", for root, who goes
// by no variable, "mount ... at FOR_ROOT/bashcell".
std::string use_another_place(const char* for_root, const char* variable);

}  // namespace bashcell::engine
