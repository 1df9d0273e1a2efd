#pragma once
// Which package has a command, and which distribution has a Python module, where the names differ or are well known. A
// checked table (packages/commands.json, packages/modules.json); nothing outside of it and of the distribution's own
// index is installed by guess. Pure.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace bashcell::heal {

struct Package {
  std::string name;  // Debian's: "ripgrep", "fd-find"
  std::string file;  // the command's path in the package, without the first '/', where its last part is not the
                     // command's name: "usr/bin/fdfind"; else empty
};

// For names of at most 64 letters, digits and . _ + -, which begin with a letter or digit; nothing for any other.
bool is_command_name(std::string_view name);
// The same of a module's first part: letters, digits and _.
bool is_module_name(std::string_view name);

class PackageTable {
 public:
  // Reads some 500 entries: made once, by whoever builds the parts that need it.
  PackageTable();

  std::optional<Package> of_command(std::string_view command) const;
  // In the table as one that is of no use in a cell (it needs root, or another machine): no index is asked for it,
  // either.
  bool is_never_installed(std::string_view command) const;
  // "cv2" -> "opencv-python-headless", "numpy" -> "numpy". Nothing for modules that are not in the table.
  std::optional<std::string> distribution_of_module(std::string_view module) const;
  // What is called to have a package installed: "ripgrep" -> "rg", "tree" -> "tree". A package that has several is
  // called by the shortest, unless one has its name. Empty: none is known.
  std::string command_of_package(std::string_view package) const;

 private:
  template <typename Value>
  using Names = std::map<std::string, Value, std::less<>>;

  Names<std::optional<Package>> commands_;  // without a package: never installed
  Names<std::string> modules_;
  Names<std::string> packages_;
};

}  // namespace bashcell::heal
