#pragma once
// Which package a need leads to, and the script that gets it. Only names that a table or the distribution's own index
// knows come out of here. Pure, but for a look at the toolbox.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "heal/need.h"
#include "heal/package_table.h"
#include "heal/toolbox.h"

namespace bashcell::heal {

struct InstallPlan {
  enum class Kind { kDebian, kPython };
  Kind kind = Kind::kDebian;
  std::string package;  // "ripgrep", "opencv-python-headless"
  std::string command;  // the command's or module's name: "rg", "cv2"
  std::string file;     // the program in the package; empty: called as the command
  // Where it goes, in the toolbox's packages/.
  std::string place() const { return kind == Kind::kPython ? "py-" + package : package; }
};

base::Result<InstallPlan> plan_install(const Need& need, const PackageTable& table, const Toolbox& toolbox);

// packages/relocate.sh and install.sh with their input. Fails when the plan or the index holds what no shell should
// see.
base::Result<std::string> install_script(const InstallPlan& plan, int64_t max_bytes, const std::string& pip_index);

}  // namespace bashcell::heal
