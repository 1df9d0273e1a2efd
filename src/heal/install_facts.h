#pragma once
// What an installer cell says about its work (packages/install.sh): NAME=VALUE lines. Written in a cell, so nothing of
// it is believed beyond its form. Pure.

#include <string>
#include <string_view>

#include "base/result.h"

namespace bashcell::heal {

inline constexpr size_t kMaxFacts = size_t{64} << 10;

struct InstallFacts {
  std::string version;  // letters, digits and . + - : ~ _; else empty
  std::string python;   // "3.11"; else empty
};

// An error, in the installer's words (printable, at most 300 characters), when it failed or did not come to its end.
base::Result<InstallFacts> parse_facts(std::string_view text);

}  // namespace bashcell::heal
