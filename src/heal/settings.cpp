#include "heal/settings.h"

#include <nlohmann/json.hpp>

#include "embedded/package_tables.h"

namespace bashcell::heal {

using nlohmann::json;

std::string install_settings() {
  const json table = json::parse(kPackageSettings);
  std::string lines;
  for (const auto& [name, variable] : table.at("variables").items()) {
    const std::string kind = variable.contains("add") ? "add" : "is";
    lines += kind + " " + name + " " + variable.value("with", "-");
    for (const json& pattern : variable.at(kind)) lines += " " + pattern.get<std::string>();
    lines += "\n";
  }
  for (const auto& [files, change] : table.at("edits").items()) {
    lines += "edit " + files + " " + change.get<std::string>() + "\n";
  }
  for (const auto& [files, paths] : table.at("shortened_paths").items()) {
    lines += "shorten " + files + " " + paths.get<std::string>() + "\n";
  }
  return lines;
}

}  // namespace bashcell::heal
