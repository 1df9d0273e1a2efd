#pragma once
// What a cell lacks for good, and what to do instead: hints that are told of a command that is missing as well as of
// what a program complains of.

#include <string>
#include <string_view>

namespace bashcell::heal {

inline constexpr std::string_view kNoServices =
    "no service manager in this cell: start the program itself, with & at its end";
inline constexpr std::string_view kNoDisplay = "no display in this cell: write to a file in /workspace";
inline constexpr std::string_view kNoContainers = "no containers inside this cell: run the program itself";
inline constexpr std::string_view kNoNodePackages = "no npm packages here: use what node has built in";

inline constexpr std::string_view kNoRoot = "there is no root in this cell; a missing tool is installed by calling it";
// The same with the scripts' uid; -1: it is not known.
inline std::string no_root(int uid) {
  std::string text(kNoRoot);
  return uid < 0 ? text : text.insert(text.find(';'), " (uid " + std::to_string(uid) + ")");
}

}  // namespace bashcell::heal
