#include "heal/package_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "embedded/test_tables.h"

using namespace bashcell::heal;

TEST_CASE("a command leads to its package, also where the names differ") {
  CHECK(package_of_command("rg")->name == "ripgrep");
  CHECK(package_of_command("rg")->file.empty());
  CHECK(package_of_command("fd")->name == "fd-find");
  CHECK(package_of_command("fd")->file == "usr/bin/fdfind");
  CHECK_FALSE(package_of_command("definitely_not_a_tool"));
  CHECK(distribution_of_module("cv2") == "opencv-python-headless");
  CHECK_FALSE(distribution_of_module("my_own_module"));
  CHECK(is_never_installed("sudo"));
  CHECK_FALSE(is_never_installed("rg"));
  CHECK_FALSE(is_never_installed("definitely_not_a_tool"));
}

TEST_CASE("a name that is a path, an option or anything else is no name") {
  for (const char* name : {"", "./rg", "a/b", "-x", "$(id)", "a b", "a\n", "..", ".profile", "r\xC3\xA4"}) {
    INFO(name);
    CHECK_FALSE(is_command_name(name));
    CHECK_FALSE(package_of_command(name));
  }
  CHECK_FALSE(is_command_name(std::string(65, 'x')));
  CHECK(is_command_name("g++"));
  CHECK(is_command_name("7z"));
  CHECK_FALSE(is_module_name("7z"));
  CHECK_FALSE(is_module_name("a.b"));
  CHECK(is_module_name("_ssl"));
}

// What goes to a package manager's command line, and to its index.
TEST_CASE("every entry of the tables is a name, and a path stays in its package") {
  const auto is_package = [](const std::string& name) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-_";
    return name.size() > 1 && name.front() != '-' && name.find_first_not_of(kLetters) == std::string::npos;
  };
  const auto commands = nlohmann::json::parse(kCommands);
  for (const auto& [command, value] : commands.items()) {
    INFO(command);
    const auto package = package_of_command(command);
    CHECK(package.has_value() != is_never_installed(command));
    if (value.is_null()) continue;
    REQUIRE(package);
    CHECK(is_package(package->name));
    CHECK(std::none_of(package->name.begin(), package->name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }));
    const std::string& file = package->file;
    CHECK((file.empty() || file.starts_with("usr/") || file.starts_with("bin/")));
    CHECK(file.find("..") == std::string::npos);
  }
  const auto modules = nlohmann::json::parse(kModules);
  for (const auto& [module, value] : modules.items()) {
    INFO(module);
    const auto distribution = distribution_of_module(module);
    REQUIRE(distribution);
    CHECK(is_package(*distribution));
  }
  CHECK(commands.size() >= 150);
  CHECK(modules.size() >= 120);
}
