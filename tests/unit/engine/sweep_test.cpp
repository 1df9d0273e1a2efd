#include "engine/oci/sweep.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "engine/cell_name.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
using namespace bashcell::engine::oci;
namespace fs = std::filesystem;

namespace {

std::string dead_name() {
  base::ProcessIdentity owner = base::ProcessIdentity::self();
  owner.start_ticks += 1;
  return make_cell_name(owner);
}

}  // namespace

TEST_CASE("the sweep takes what dead owners left and leaves everything else alone") {
  const TemporaryFolder top;
  SweepOptions options;
  options.folder.path = top.path();
  options.rootless = true;
  const std::string dead = dead_name();
  const std::string alive = make_cell_name(base::ProcessIdentity::self());
  for (const std::string& name : {dead, alive, std::string("somebody-elses"), std::string("bashcell-x")}) {
    fs::create_directories(top.path() / "bundles" / name);
    std::ofstream(top.path() / "bundles" / name / "config.json") << "{}";
  }
  CHECK(leftovers_in(options.folder.bundles()) == std::vector<std::string>{dead});

  Reaper reaper;
  CHECK(sweep(options, reaper) == 1);
  CHECK_FALSE(fs::exists(top.path() / "bundles" / dead));
  CHECK(fs::exists(top.path() / "bundles" / alive / "config.json"));
  CHECK(fs::exists(top.path() / "bundles/somebody-elses/config.json"));
  CHECK(fs::exists(top.path() / "bundles/bashcell-x/config.json"));
  CHECK(sweep(options, reaper) == 0);
}

TEST_CASE("empty groups of dead owners go, those of living ones stay") {
  const TemporaryFolder top;
  const TemporaryFolder hierarchy;
  SweepOptions options;
  options.folder.path = top.path();
  options.layout.kind = CgroupKind::kV2;
  options.layout.v2_mount = hierarchy.path();
  options.cgroup_parent = "/user.slice/bashcells";
  const std::string dead = dead_name();
  const std::string alive = make_cell_name(base::ProcessIdentity::self());
  const fs::path parent = hierarchy.path().string() + options.cgroup_parent;
  for (const std::string& name : {dead, alive, std::string("other")}) fs::create_directories(parent / name);

  Reaper reaper;
  CHECK(sweep(options, reaper) == 1);
  CHECK_FALSE(fs::exists(parent / dead));
  CHECK(fs::exists(parent / alive));
  CHECK(fs::exists(parent / "other"));
}

TEST_CASE("a folder that does not exist has no leftovers") { CHECK(leftovers_in("/nonexistent/folder").empty()); }
