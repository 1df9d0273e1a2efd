#include "commands/shelving.h"

#include "base/log.h"
#include "shelf/store.h"

namespace bashcell::commands {

base::Result<shelf::Place> shelf_place(const Config& config) {
  if (config.shelf == ShelfScope::kOff) return base::Error{"the shelf is off (--shelf off)"};
  if (config.shelf == ShelfScope::kUser) return shelf::place_for_user();
  return config.workspace_volume.empty() ? shelf::place_for_workspace(config.workspace)
                                         : shelf::place_for_volume(config.workspace_volume);
}

std::string shelf_of_cells(const Config& config) {
  if (config.shelf == ShelfScope::kOff) return {};
  const base::Result<shelf::Place> place = shelf_place(config);
  const base::Result<shelf::Store> store = place ? shelf::Store::open(*place) : place.error();
  if (store) return store->entries();
  base::Log(config.log).error("no shelf: " + store.error().message);
  return {};
}

shelf::KeeperOptions keeper_options(const Config& config, const heal::PackageTable& table) {
  return {.place = shelf_place(config), .is_command = [&table](const std::string& name) {
            return table.of_command(name) || table.is_never_installed(name);
          }};
}

}  // namespace bashcell::commands
