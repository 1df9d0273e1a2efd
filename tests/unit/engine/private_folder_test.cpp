#include "engine/private_folder.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
namespace fs = std::filesystem;

TEST_CASE("the private folder is made, and closed to others") {
  const TemporaryFolder top;
  const std::string place = top.path() / "p";
  const auto made = open_private_folder(place);
  REQUIRE(made);
  CHECK(made->path == place + made->namespace_tag);
  fs::permissions(made->path, fs::perms::all);
  REQUIRE(open_private_folder(place));
  CHECK((fs::status(made->path).permissions() & fs::perms::all) == fs::perms::owner_all);
  CHECK(fs::is_directory(made->bundles()));
  CHECK(fs::is_directory(made->roots()));
}

TEST_CASE("a link or a file in its place is refused") {
  const TemporaryFolder top;
  fs::create_directory(top.path() / "real");
  fs::create_symlink(top.path() / "real", top.path() / "link");
  CHECK_FALSE(make_private(top.path() / "link"));
  std::ofstream(top.path() / "file") << "x";
  CHECK_FALSE(make_private(top.path() / "file"));
  CHECK_FALSE(make_private(top.path() / "absent/below"));
}

TEST_CASE("somebody else's folder is refused") {
  if (::geteuid() == 0) {
    const TemporaryFolder top;
    const fs::path other = top.path() / "other";
    fs::create_directory(other);
    REQUIRE(::chown(other.c_str(), 12345, 12345) == 0);
    const auto refused = make_private(other);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("another user") != std::string::npos);
  } else {
    CHECK_FALSE(make_private("/usr"));
  }
}
