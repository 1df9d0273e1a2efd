#pragma once
// What a script lacks, by the name that it used, and what was done about it.

#include <string>

#include "base/clock.h"

namespace bashcell::heal {

struct Need {
  enum class Kind { kCommand, kPythonModule };
  Kind kind = Kind::kCommand;
  std::string name;  // as the script had it: "rg", "cv2". Untrusted: it comes from the cell

  auto operator<=>(const Need&) const = default;
};

// What is in the toolbox now that was not there before.
struct Installed {
  std::string package;  // as its distribution calls it: "ripgrep"
  std::string version;  // may be empty
  base::Duration took{0};
};

}  // namespace bashcell::heal
