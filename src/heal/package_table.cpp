#include "heal/package_table.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "embedded/package_tables.h"

namespace bashcell::heal {

namespace {

using nlohmann::json;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kDigits = "0123456789";
constexpr size_t kLongestName = 64;

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool is_name(std::string_view name, std::string_view more) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [more](char c) {
    return is_one_of(c, kLetters) || is_one_of(c, kDigits) || is_one_of(c, more);
  });
}

}  // namespace

bool is_command_name(std::string_view name) { return is_name(name, "._+-") && !is_one_of(name.front(), "._+-"); }
bool is_module_name(std::string_view name) { return is_name(name, "_") && !is_one_of(name.front(), kDigits); }

PackageTable::PackageTable() {
  const json commands = json::parse(kPackageCommands);
  for (const auto& [command, value] : commands.items()) {
    if (value.is_null()) {
      commands_.emplace(command, std::nullopt);
      continue;
    }
    Package package = value.is_string() ? Package{value.get<std::string>(), {}}
                                        : Package{value.at(0).get<std::string>(), value.at(1).get<std::string>()};
    // One that is called as the package is, without being the package's own name for it, is a mistake of callers.
    std::string& shortest = packages_[package.name];
    const bool is_own = command == package.name && package.file.empty();
    const bool is_shorter = shortest.empty() || (shortest != package.name && command.size() < shortest.size());
    if (is_own || is_shorter) shortest = command;
    commands_.emplace(command, std::move(package));
  }
  const json modules = json::parse(kPackageModules);
  for (const auto& [module, value] : modules.items()) {
    modules_.emplace(module, value.get<std::string>());
  }
}

std::optional<Package> PackageTable::of_command(std::string_view command) const {
  const auto found = commands_.find(command);
  return found == commands_.end() ? std::nullopt : found->second;
}

bool PackageTable::is_never_installed(std::string_view command) const {
  const auto found = commands_.find(command);
  return found != commands_.end() && !found->second;
}

std::optional<std::string> PackageTable::distribution_of_module(std::string_view module) const {
  const auto found = modules_.find(module);
  return found == modules_.end() ? std::nullopt : std::optional(found->second);
}

std::string PackageTable::command_of_package(std::string_view package) const {
  const auto found = packages_.find(package);
  return found == packages_.end() ? std::string() : found->second;
}

}  // namespace bashcell::heal
