#include "engine/run_folder.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
namespace fs = std::filesystem;

TEST_CASE("a run folder has the links and every mount point") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run";
  REQUIRE(ensure_run_folder(path));
  CHECK(fs::read_symlink(path + "/bin/cell") == "../bashcell-init");
  CHECK(fs::is_regular_file(path + "/bashcell-init"));
  CHECK(fs::is_regular_file(path + "/control"));
  CHECK(fs::is_directory(path + "/tools"));
  CHECK(fs::is_directory(path + "/shelf"));
  CHECK(ensure_run_folder(path));
}

TEST_CASE("a run folder of an earlier version gets its places for a toolbox and a shelf") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "run";
  REQUIRE(ensure_run_folder(path));
  fs::remove(path + "/tools");
  fs::remove(path + "/shelf");
  REQUIRE(ensure_run_folder(path));
  CHECK(fs::is_directory(path + "/tools"));
  CHECK(fs::is_directory(path + "/shelf"));
}
