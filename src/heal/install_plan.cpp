#include "heal/install_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded/install_script.h"
#include "heal/settings.h"

namespace bashcell::heal {

namespace {

constexpr size_t kMaxUrl = 500;

bool is_path_in_package(const std::string& path) {
  return std::all_of(path.begin(), path.end(),
                     [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              std::string_view("._+-/").find(c) != std::string_view::npos;
                     }) &&
         !path.starts_with("/") && path.find("..") == std::string::npos;
}

// Printable ASCII without a quote, so that single quotes hold it.
bool is_url(const std::string& text) {
  return text.size() <= kMaxUrl &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f' && c != '\''; });
}

}  // namespace

base::Result<InstallPlan> plan_install(const Need& need, const PackageTable& table, const Toolbox& toolbox) {
  InstallPlan plan;
  plan.command = need.name;
  if (need.kind == Need::Kind::kPythonModule) {
    const std::optional<std::string> distribution = table.distribution_of_module(need.name);
    if (!distribution) return base::Error{"no known package has that Python module"};
    plan.kind = InstallPlan::Kind::kPython;
    plan.package = *distribution;
    return plan;
  }
  if (const std::optional<Package> package = table.of_command(need.name)) {
    plan.package = package->name;
    plan.file = package->file;
    return plan;
  }
  if (table.is_never_installed(need.name)) return base::Error{"it is of no use in a cell"};
  if (!toolbox.index_has(need.name)) return base::Error{"no known package has that command"};
  plan.package = need.name;
  return plan;
}

base::Result<std::string> install_script(const InstallPlan& plan, int64_t max_bytes, const std::string& pip_index) {
  if (!is_command_name(plan.package) || !is_command_name(plan.place()) || !is_path_in_package(plan.file) ||
      (!is_command_name(plan.command) && !is_module_name(plan.command))) {
    return base::Error{"the package's name is not one"};
  }
  if (!is_url(pip_index)) return base::Error{"the URL of the Python index is not one"};
  return fmt::format("KIND='{}' NAME='{}' COMMAND='{}' FILE='{}' LIMIT_MB={} PIP_INDEX_URL='{}' SETTINGS='{}'\n{}{}",
                     plan.kind == InstallPlan::Kind::kPython ? "pip" : "deb", plan.package, plan.command, plan.file,
                     max_bytes >> 20, pip_index, install_settings(), kRelocateScript, kInstallScript);
}

}  // namespace bashcell::heal
