#pragma once
// Scripts that print much, of the kinds that people and their tools print.

#include <cstddef>
#include <string>
#include <vector>

#include "server.h"

namespace bashcell::bench {

inline constexpr size_t kMebibyte = size_t{1} << 20U;

struct Printer {
  std::string name;
  std::string script;  // with @N@ for how many bytes it prints, about

  std::string of(size_t bytes) const;
};

// Writes the files that some of the scripts print into the workspace: each of about `bytes`.
void prepare_files(Server& server, size_t bytes);

// One of each kind. The first few make what they print, at their own pace; the others only pass on what is in a file,
// which costs next to nothing by itself.
std::vector<Printer> printers();

}  // namespace bashcell::bench
