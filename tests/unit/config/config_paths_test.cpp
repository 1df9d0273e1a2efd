#include "config_paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace bashcell {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

base::Result<Invocation> parse(const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) {
  environment.emplace_back("HOME=/nonexistent-home");
  return parse_invocation(arguments, environment);
}

TEST_CASE("a relative workspace counts on the command line only") {
  const std::string here = fs::current_path().string();
  CHECK(parse({"--workspace=some/./thing/"})->config.workspace == here + "/some/thing");
  CHECK(parse({"--workspace=~/work"})->config.workspace == "/nonexistent-home/work");
  CHECK(parse({}, {"BASHCELL_WORKSPACE=~/work"})->config.workspace == "/nonexistent-home/work");
  const auto refused = parse({}, {"BASHCELL_WORKSPACE=."});
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, Contains("BASHCELL_WORKSPACE") && Contains("an absolute path"));
}

TEST_CASE("the default workspace follows XDG_DATA_HOME") {
  CHECK(parse({}, {"XDG_DATA_HOME=/data"})->config.workspace == "/data/bashcell/workspace");
  CHECK(parse({}, {"XDG_DATA_HOME=data"})->config.workspace == "/nonexistent-home/.local/share/bashcell/workspace");
}

TEST_CASE("a system folder is refused as workspace, however it is spelled") {
  const std::string folder =
      GENERATE("/", "//", "/usr", "/etc/", "/usr/../etc", "/proc/self", "/dev/shm", "/var", "/home");
  CAPTURE(folder);
  const auto refused = parse({"--workspace", folder});
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, Contains("a folder of your own"));
}

TEST_CASE("a link to a system folder is a system folder") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path();
  fs::create_directory_symlink("/etc", folder + "/link");
  CHECK(is_system_folder(folder + "/link"));
  CHECK_FALSE(is_system_folder(folder));
}

TEST_CASE("the default workspace is made once, private; a given one is never made") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path();
  Config config;
  config.workspace = folder + "/share/bashcell/workspace";
  REQUIRE(prepare_workspace(config).ok());
  struct stat info {};
  REQUIRE(::stat(config.workspace.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
  CHECK(info.st_uid == (::geteuid() == 0 ? 1000 : ::geteuid()));
  CHECK(prepare_workspace(config).ok());

  config.workspace = folder + "/given";
  config.workspace_is_default = false;
  CHECK(prepare_workspace(config).ok());
  CHECK_FALSE(fs::exists(config.workspace));
}

TEST_CASE("a workspace that cannot be made says where") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path();
  REQUIRE(base::write_file(folder + "/file", "").ok());
  Config config;
  config.workspace = folder + "/file/workspace";
  const auto made = prepare_workspace(config);
  REQUIRE_FALSE(made.ok());
  CHECK_THAT(made.error().message, Contains(config.workspace));
}

TEST_CASE("scripts run as the owner of the workspace, but never as root") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path();
  Config config;
  config.workspace = folder;
  if (::geteuid() == 0) {
    CHECK(cell_user(config).uid == 1000);
    REQUIRE(::chown(folder.c_str(), 1234, 2345) == 0);
    CHECK(cell_user(config).uid == 1234);
    CHECK(cell_user(config).gid == 2345);
    REQUIRE(::chown(folder.c_str(), 1234, 0) == 0);
    CHECK(cell_user(config).gid == 1234);
  } else {
    CHECK(cell_user(config).uid == ::geteuid());
  }
  config.user = engine::User{1500, 1600};
  CHECK(cell_user(config).uid == 1500);
  config.user.reset();
  config.workspace = folder + "/missing";
  CHECK(cell_user(config).uid == 1000);
}

TEST_CASE("bashcell-init is the configured one, or the error names every place looked at") {
  const TemporaryFolder temporary;
  const std::string folder = temporary.path();
  Config config;
  config.init = folder + "/bashcell-init";
  CHECK_THAT(find_supervisor(config).error().message, Contains(config.init) && Contains("No such file"));
  REQUIRE(base::write_file(config.init, "x", 0644).ok());
  CHECK_THAT(find_supervisor(config).error().message, Contains("not executable"));
  REQUIRE(::chmod(config.init.c_str(), 0755) == 0);
  CHECK(find_supervisor(config).value() == config.init);
  config.init = folder;
  CHECK_THAT(find_supervisor(config).error().message, Contains("not a file"));
}

}  // namespace
}  // namespace bashcell
