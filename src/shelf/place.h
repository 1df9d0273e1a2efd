#pragma once
// Where a shelf is on the host: one folder for each workspace, or one for all of a user's.

#include <string>

#include "base/result.h"

namespace bashcell::shelf {

struct Place {
  std::string folder;     // absolute
  std::string workspace;  // the canonical path of the one that it is for; empty: of a volume's, or of the user's
};

// Root: below /var/lib/bashcell/shelf. Others: below $XDG_DATA_HOME/bashcell/shelf, or ~/.local/share/bashcell/shelf.
// An error says that there is no home. Links in the path of the workspace are followed: one workspace has one shelf.
base::Result<Place> place_for_workspace(const std::string& workspace);
base::Result<Place> place_for_volume(const std::string& volume);
base::Result<Place> place_for_user();

}  // namespace bashcell::shelf
