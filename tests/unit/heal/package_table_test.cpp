#include "heal/package_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "embedded/test_tables.h"
#include "heal/settings.h"

using namespace bashcell::heal;

TEST_CASE("a command leads to its package, also where the names differ") {
  const PackageTable table;
  CHECK(table.of_command("rg")->name == "ripgrep");
  CHECK(table.of_command("rg")->file.empty());
  CHECK(table.of_command("fd")->name == "fd-find");
  CHECK(table.of_command("fd")->file == "usr/bin/fdfind");
  CHECK_FALSE(table.of_command("definitely_not_a_tool"));
  CHECK(table.distribution_of_module("cv2") == "opencv-python-headless");
  CHECK_FALSE(table.distribution_of_module("my_own_module"));
  CHECK(table.is_never_installed("sudo"));
  CHECK_FALSE(table.is_never_installed("rg"));
  CHECK_FALSE(table.is_never_installed("definitely_not_a_tool"));
}

TEST_CASE("a name that is a path, an option or anything else is no name") {
  const PackageTable table;
  for (const char* name : {"", "./rg", "a/b", "-x", "$(id)", "a b", "a\n", "..", ".profile", "r\xC3\xA4"}) {
    INFO(name);
    CHECK_FALSE(is_command_name(name));
    CHECK_FALSE(table.of_command(name));
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
  const PackageTable table;
  const auto is_package = [](const std::string& name) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.+-_";
    return name.size() > 1 && name.front() != '-' && name.find_first_not_of(kLetters) == std::string::npos;
  };
  const auto commands = nlohmann::json::parse(kCommands);
  for (const auto& [command, value] : commands.items()) {
    INFO(command);
    const auto package = table.of_command(command);
    CHECK(package.has_value() != table.is_never_installed(command));
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
    const auto distribution = table.distribution_of_module(module);
    REQUIRE(distribution);
    CHECK(is_package(*distribution));
  }
  CHECK(commands.size() >= 150);
  CHECK(modules.size() >= 120);
}

TEST_CASE("a package leads to the command that has it installed") {
  const PackageTable table;
  CHECK(table.command_of_package("ripgrep") == "rg");
  CHECK(table.command_of_package("tree") == "tree");
  CHECK(table.command_of_package("fd-find") == "fd");
  CHECK(table.command_of_package("graphviz") == "dot");
  CHECK(table.command_of_package("no-such-package").empty());
}

TEST_CASE("what installed programs need fits into the installer's script") {
  const std::string settings = install_settings();
  CHECK(settings.find('\'') == std::string::npos);
  CHECK(settings.find("\nis GIT_EXEC_PATH - usr/lib/git-core\n") != std::string::npos);
  CHECK(settings.find("\nadd XDG_DATA_DIRS usr/share/glib-2.0 usr/share\n") != std::string::npos);
  CHECK(settings.find("\nshorten usr/lib/*/libnode.so.* /usr/share/nodejs/") != std::string::npos);
}
