#include "heal/package_table.h"

#include <catch2/catch.hpp>

using namespace bashcell::heal;

TEST_CASE("a command leads to its package, also where the names differ") {
  CHECK(package_of_command("rg")->name == "ripgrep");
  CHECK(package_of_command("rg")->file.empty());
  CHECK(package_of_command("fd")->name == "fd-find");
  CHECK(package_of_command("fd")->file == "usr/bin/fdfind");
  CHECK_FALSE(package_of_command("definitely_not_a_tool"));
  CHECK(distribution_of_module("cv2") == "opencv-python-headless");
  CHECK_FALSE(distribution_of_module("my_own_module"));
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
