#pragma once
// The shelf of this configuration: for the cells, and for those who write to it.

#include <string>

#include "config.h"
#include "heal/package_table.h"
#include "shelf/keeper.h"
#include "shelf/place.h"

namespace bashcell::commands {

// Where it is; an error says why there is none. The default workspace may be missing still.
base::Result<shelf::Place> shelf_place(const Config& config);

// For CellSpec::shelf: made when it is missing. Empty, and said in the log, when that is not possible; then cells are
// without it. Blocks for a few file operations.
std::string shelf_of_cells(const Config& config);

// `table` must outlive them.
shelf::KeeperOptions keeper_options(const Config& config, const heal::PackageTable& table);

}  // namespace bashcell::commands
