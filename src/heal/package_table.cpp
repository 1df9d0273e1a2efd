#include "heal/package_table.h"

#include <algorithm>

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

std::optional<Package> package_of_command(std::string_view command) {
  if (!is_command_name(command)) return std::nullopt;
  const json table = json::parse(kPackageCommands);
  const auto found = table.find(command);
  if (found == table.end() || found->is_null()) return std::nullopt;
  if (found->is_string()) return Package{found->get<std::string>(), {}};
  return Package{found->at(0).get<std::string>(), found->at(1).get<std::string>()};
}

bool is_never_installed(std::string_view command) {
  const json table = json::parse(kPackageCommands);
  const auto found = table.find(command);
  return found != table.end() && found->is_null();
}

std::optional<std::string> distribution_of_module(std::string_view module) {
  if (!is_module_name(module)) return std::nullopt;
  const json table = json::parse(kPackageModules);
  const auto found = table.find(module);
  if (found == table.end()) return std::nullopt;
  return found->get<std::string>();
}

}  // namespace bashcell::heal
