#pragma once
// What a line of a program's output complains of, other than something missing, and what the model may do about it: an
// option that the tool does not have, no network, no root, nowhere to write. Pure; the line is untrusted.

#include <string>
#include <string_view>

namespace bashcell::heal {

struct Surroundings {
  std::string_view script;   // its first part
  bool is_busybox = false;   // an earlier or later line shows that the tools are BusyBox's
  bool has_network = false;  // of the cell
  int uid = -1;              // of the scripts; -1: not known
};

// A clause for the status line, from tables; empty when the line is no complaint that is known.
std::string hint_for_line(std::string_view line, const Surroundings& around);

}  // namespace bashcell::heal
