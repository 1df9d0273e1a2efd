#pragma once
// Where things are on the host: the workspace, the configuration file, bashcell-init.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config.h"

namespace bashcell {

// NAME -> value.
using Environment = std::map<std::string, std::string>;

// Of "NAME=value" entries, as process_environment() gives them; of several of one name the first.
Environment environment_map(const std::vector<std::string>& entries);

// Of the user: $HOME, else what the user database says. Nothing when neither names an absolute path.
std::optional<std::string> home_folder(const Environment& environment);

// $VARIABLE/bashcell, or HOME/fallback/bashcell: VARIABLE is one of XDG's. Nothing when there is no home.
std::optional<std::string> user_folder(const Environment& environment, const char* variable, const char* fallback);

// A leading "~/" becomes the home; the rest is made absolute against the working directory and cleaned of "." and "..".
std::string absolute_path(const std::string& path, const Environment& environment);

// True for / and the folders that a system is made of: sharing one of these with scripts is always a mistake.
bool is_system_folder(const std::string& path);

// Makes the default workspace when it is missing (for root: owned by the cell's user). A given workspace is never made.
base::Result<void> prepare_workspace(const Config& config);

// Who scripts run as: as configured, else the owner of the workspace, so that files keep one owner; root's become
// 1000:1000.
engine::User cell_user(const Config& config);

// The image of the cell: as configured, or kDefaultImage.
std::string cell_image(const Config& config);

// The absolute path of bashcell-init: as configured, beside this program, or in the libexec of its install prefix.
base::Result<std::string> find_supervisor(const Config& config);

}  // namespace bashcell
