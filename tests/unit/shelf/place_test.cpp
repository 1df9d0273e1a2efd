#include "shelf/place.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::shelf;
namespace fs = std::filesystem;

TEST_CASE("a workspace has one shelf, by whatever path it is reached") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "my project");
  fs::create_symlink("my project", folder.path() / "link");
  const auto direct = place_for_workspace(folder.path() / "my project");
  REQUIRE(direct);
  CHECK(direct->folder == place_for_workspace(folder.path() / "link")->folder);
  CHECK(direct->folder == place_for_workspace(folder.path() / "link/../my project/.")->folder);
  CHECK(direct->workspace == fs::canonical(folder.path() / "my project"));
  CHECK(direct->folder.ends_with("-my-project"));
  CHECK(direct->folder.find("/bashcell/shelf/") != std::string::npos);
  CHECK(direct->folder != place_for_workspace(folder.path())->folder);
  if (::geteuid() == 0) CHECK(direct->folder.starts_with("/var/lib/bashcell/shelf/"));
}

TEST_CASE("a volume's shelf is none of a folder's of that name, and the user's is one for all") {
  CHECK(place_for_volume("data")->folder != place_for_workspace("data")->folder);
  CHECK(place_for_volume("data")->workspace.empty());
  CHECK(place_for_volume("data")->folder == place_for_volume("data")->folder);
  CHECK(place_for_user()->folder.ends_with("/bashcell/shelf/user"));
}
