#pragma once
// The filters that a user adds in the configuration file, checked.

#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "config.h"

namespace bashcell {

// `list` is an array. An error finishes "EXTRA_FILTERS ...": which of them is wrong, and what is allowed.
base::Result<std::vector<ExtraFilter>> extra_filters(const nlohmann::json& list);

}  // namespace bashcell
