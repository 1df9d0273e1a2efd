#pragma once
// What a cell's root consists of, as a list: empty folders, small generated files, links, copies, and what is bound in
// from outside. Making the list reads folders and writes nothing; skeleton.h builds the part that lies on disk.

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/cell_spec.h"

namespace bashcell::engine::oci {

struct RootEntry {
  enum class Kind {
    kFolder,  // empty, with `mode`
    kFile,    // generated: `content`
    kLink,    // `source` is what it points to
    kCopy,    // of the file, link or tree at `source`; only what everybody may read
    kBind,    // the folder at `source`, mounted read-only at start; an empty folder in the skeleton
  };
  Kind kind = Kind::kFolder;
  std::string path;  // in the root, without a leading slash; parents come first
  std::string source;
  std::string content;
  unsigned mode = 0755;
};

using RootPlan = std::vector<RootEntry>;

inline constexpr const char* kResolvConf = "/run/cell/resolv.conf";

// With spec.rootfs that root file system behind our mount points, else this machine's /usr and a short list of /etc.
// Never /home, /root, /run or /var of the host, nor anything in /etc that may hold a secret; but for
// an installer cell, what /var/lib says of packages.
// With `resolv_conf`, programs in the cell ask whom it names for addresses: by the file /run/cell/resolv.conf, which a
// given root file system's own /etc/resolv.conf has to be covered with.
base::Result<RootPlan> plan_root(const CellSpec& spec, const std::string& resolv_conf = {});

// True if the planned root has a bash at one of the usual places, as seen from outside.
bool root_has_bash(const CellSpec& spec);

}  // namespace bashcell::engine::oci
