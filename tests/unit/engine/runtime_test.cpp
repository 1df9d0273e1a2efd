#include "engine/oci/runtime.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine::oci;

namespace {

std::string make_program(const std::filesystem::path& path, const std::string& first_line) {
  std::ofstream(path) << "#!/bin/sh\necho '" << first_line << "'\n";
  ::chmod(path.c_str(), 0755);
  return path;
}

CgroupLayout layout_of(CgroupKind kind) {
  CgroupLayout layout;
  layout.kind = kind;
  return layout;
}

}  // namespace

TEST_CASE("a runtime given by path is used, and known by name or by what it says") {
  const TemporaryFolder folder;
  const CgroupLayout v2 = layout_of(CgroupKind::kV2);
  const auto by_name = choose_runtime(make_program(folder.path() / "crun", "?"), v2, false);
  REQUIRE(by_name);
  CHECK(by_name->name() == "crun");
  const auto by_word = choose_runtime(make_program(folder.path() / "mine", "runc version 9"), v2, false);
  REQUIRE(by_word);
  CHECK(by_word->name() == "runc");
  const auto unknown = choose_runtime(make_program(folder.path() / "other", "youki 1"), v2, false);
  REQUIRE(unknown);
  CHECK(unknown->name() == "other");
}

TEST_CASE("where a runtime cannot work it is not used, and the reason is said") {
  const TemporaryFolder folder;
  const std::string crun = make_program(folder.path() / "crun", "crun version 1");
  const std::string runc = make_program(folder.path() / "runc", "runc version 1");
  const auto hybrid = choose_runtime(crun, layout_of(CgroupKind::kHybrid), false);
  REQUIRE_FALSE(hybrid);
  CHECK(hybrid.error().message.find("hybrid") != std::string::npos);
  const auto rootless = choose_runtime(runc, layout_of(CgroupKind::kV2), true);
  REQUIRE_FALSE(rootless);
  CHECK(rootless.error().message.find("install crun") != std::string::npos);
  CHECK(choose_runtime(crun, layout_of(CgroupKind::kV2), true).ok());
  CHECK(choose_runtime(runc, layout_of(CgroupKind::kHybrid), false).ok());
}

TEST_CASE("a missing runtime is an error that names what was tried and what helps") {
  const auto missing = choose_runtime("/nonexistent/runtime", layout_of(CgroupKind::kV2), false);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/nonexistent/runtime: not found") != std::string::npos);
  CHECK(missing.error().message.ends_with("; install one: sudo apt-get install crun"));
  const auto hybrid = choose_runtime("/nonexistent/runtime", layout_of(CgroupKind::kHybrid), false);
  CHECK(hybrid.error().message.ends_with("; install one that does: sudo apt-get install runc"));
  CHECK_FALSE(version_of("/nonexistent/runtime"));
}

TEST_CASE("a runtime process gets nothing of our environment but PATH and the session bus") {
  ::setenv("BASHCELL_TEST_SECRET", "canary", 1);
  ::setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
  const std::vector<std::string> environment = runtime_environment();
  ::unsetenv("BASHCELL_TEST_SECRET");
  ::unsetenv("XDG_RUNTIME_DIR");
  for (const std::string& line : environment) CHECK(line.find("canary") == std::string::npos);
  CHECK(std::find(environment.begin(), environment.end(), "XDG_RUNTIME_DIR=/run/user/1") != environment.end());
  CHECK(environment[0].rfind("PATH=/", 0) == 0);

  const base::SpawnOptions command = runtime_command({"/usr/sbin/runc", RuntimeKind::kRunc}, "/state", {"delete", "x"});
  CHECK(command.argv == std::vector<std::string>{"/usr/sbin/runc", "--root", "/state", "delete", "x"});
  CHECK(command.new_session);
}
