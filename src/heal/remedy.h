#pragma once
// From what is known about a finished call to what is done for it afterwards: what bash did not see missing is
// installed, so that the next call finds it, or a hint names what there is instead. Nothing is run. Pure.
//
// The output is hostile. The work is linear in its size, of which the last part is read, and nothing of it gets into
// the remedy but names that is_command_name or is_module_name accepts and our tables know.

#include <string>
#include <string_view>
#include <vector>

#include "heal/need.h"
#include "heal/package_table.h"

namespace bashcell::heal {

struct Facts {
  std::string_view script;
  int exit_code = 0;
  std::string_view output;   // the text of the reply, cleaned and trimmed
  int uid = -1;              // of the scripts; -1: not known, so not told
  bool has_network = false;  // the cell has one, so it is no reason for what failed
};

struct Remedy {
  std::vector<Need> install;  // at most kMostInstalls, the one missed last first
  std::string hint;           // one clause of the status line, at most kLongestHint bytes; may be empty. It holds also
                              // when an install fails
  bool operator==(const Remedy&) const = default;
};

inline constexpr size_t kMostInstalls = 3;
inline constexpr size_t kLongestHint = 160;

Remedy remedy_for(const Facts& facts, const PackageTable& table);

}  // namespace bashcell::heal
