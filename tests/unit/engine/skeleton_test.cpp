#include "engine/oci/skeleton.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "engine/oci/skeleton_build.h"
#include "engine/private_folder.h"
#include "support/no_flock.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
using namespace bashcell::engine::oci;
namespace fs = std::filesystem;
using Kind = RootEntry::Kind;

namespace {

unsigned mode_of(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

void put(const fs::path& path, const std::string& text, unsigned mode = 0644) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

const RootEntry* entry_at(const RootPlan& plan, const std::string& path) {
  for (const RootEntry& entry : plan) {
    if (entry.path == path) return &entry;
  }
  return nullptr;
}

size_t entries_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a skeleton holds what was planned, whatever the umask, and of copies only what everybody may read") {
  const TemporaryFolder source;
  put(source.path() / "sub/open", "text");
  put(source.path() / "sub/secret", "key", 0600);
  put(source.path() / "sub/tool", "#!", 0755);
  fs::create_symlink("../open", source.path() / "sub/link");
  const TemporaryFolder target;
  const RootPlan plan = {{Kind::kFolder, "tmp", {}, {}, 01777},
                         {Kind::kFolder, "etc", {}, {}, 0755},
                         {Kind::kFile, "etc/passwd", {}, "user:x:1000\n", 0644},
                         {Kind::kLink, "bin", "usr/bin", {}, 0},
                         {Kind::kBind, "usr", "/usr", {}, 0755},
                         {Kind::kCopy, "etc/copied", source.path() / "sub", {}, 0},
                         {Kind::kCopy, "etc/absent", source.path() / "absent", {}, 0}};
  const mode_t old_mask = ::umask(077);
  const base::Result<void> built = build_skeleton(target.path(), plan);
  ::umask(old_mask);
  REQUIRE(built);
  CHECK(mode_of(target.path()) == 0755);
  CHECK(mode_of(target.path() / "tmp") == 01777);
  CHECK(mode_of(target.path() / "etc/passwd") == 0644);
  CHECK(*base::read_file(target.path() / "etc/passwd") == "user:x:1000\n");
  CHECK(fs::read_symlink(target.path() / "bin") == "usr/bin");
  CHECK(fs::is_empty(target.path() / "usr"));
  CHECK(*base::read_file(target.path() / "etc/copied/open") == "text");
  CHECK(mode_of(target.path() / "etc/copied/open") == 0644);
  CHECK(mode_of(target.path() / "etc/copied/tool") == 0755);
  CHECK(fs::read_symlink(target.path() / "etc/copied/link") == "../open");
  CHECK_FALSE(fs::exists(target.path() / "etc/copied/secret"));
  CHECK_FALSE(fs::exists(target.path() / "etc/absent"));
}

TEST_CASE("a skeleton is built once, and again when a source changes; unused ones go") {
  const TemporaryFolder source;
  put(source.path() / "d/one", "1");
  const TemporaryFolder folder;
  const RootPlan plan = {{Kind::kCopy, "copied", source.path() / "d", {}, 0}};

  auto first = acquire_skeleton(folder.path(), plan);
  REQUIRE(first);
  const auto again = acquire_skeleton(folder.path(), plan);
  REQUIRE(again);
  CHECK(again->path == first->path);
  CHECK(entries_in(folder.path()) == 1);

  put(source.path() / "d/two", "2");
  const auto second = acquire_skeleton(folder.path(), plan);
  REQUIRE(second);
  CHECK(second->path != first->path);
  CHECK(fs::exists(second->path + "/copied/two"));
  CHECK(fs::exists(first->path));  // somebody holds it

  const_cast<Skeleton&>(*again).in_use.reset();
  first->in_use.reset();
  put(source.path() / "d/three", "3");
  const auto third = acquire_skeleton(folder.path(), plan);
  REQUIRE(third);
  CHECK_FALSE(fs::exists(first->path));
  CHECK(fs::exists(second->path));
}

TEST_CASE("several servers that start at once get one and the same skeleton") {
  const TemporaryFolder source;
  for (int i = 0; i < 50; ++i) put(source.path() / "d" / std::to_string(i), "x");
  const TemporaryFolder folder;
  const RootPlan plan = {{Kind::kCopy, "copied", source.path() / "d", {}, 0}};
  std::vector<std::string> paths(8);
  std::vector<std::thread> threads;
  for (std::string& path : paths) {
    threads.emplace_back([&] {
      const auto skeleton = acquire_skeleton(folder.path(), plan);
      if (skeleton && entries_in(skeleton->path + "/copied") == 50) path = skeleton->path;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& path : paths) CHECK(path == paths[0]);
  CHECK_FALSE(paths[0].empty());
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("servers of two kinds that come and go take no skeleton from each other") {
  const TemporaryFolder folder;
  const std::array<RootPlan, 2> plans{RootPlan{{Kind::kFile, "one", {}, "1", 0644}},
                                      RootPlan{{Kind::kFile, "two", {}, "2", 0644}}};
  std::array<std::string, 8> problems;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < problems.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50 && problems[i].empty(); ++round) {
        const auto skeleton = acquire_skeleton(folder.path(), plans[i % 2]);
        if (!skeleton) problems[i] = skeleton.error().message;
        if (skeleton && entries_in(skeleton->path) != 1) problems[i] = "not whole";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& problem : problems) CHECK(problem.empty());
}

TEST_CASE("the host's root shows /usr and a chosen part of /etc, with the cell's user") {
  CellSpec spec;
  spec.user = {1234, 2345};
  const auto plan = plan_root(spec);
  REQUIRE(plan);
  REQUIRE(entry_at(*plan, "usr") != nullptr);
  CHECK(entry_at(*plan, "usr")->kind == Kind::kBind);
  CHECK(entry_at(*plan, "etc/passwd")->content.find("user:x:1234:2345:user:/tmp/home:/bin/bash\n") == 0);
  CHECK(entry_at(*plan, "etc/gitconfig")->content.find("directory = *") != std::string::npos);
  CHECK(entry_at(*plan, "tmp")->mode == 01777);
  CHECK(entry_at(*plan, "run/cell/script")->source == "/proc/self/fd/250");
  CHECK(entry_at(*plan, "run/cell/bin/cell")->source == "../bashcell-init");
  CHECK(entry_at(*plan, "run/cell/no-editor")->source == "bashcell-init");
  for (const char* path :
       {"etc/shadow", "etc/ssl/private", "etc/ssh", "etc/pip.conf", "etc/npmrc", "home", "root", "opt"}) {
    INFO(path);
    CHECK(entry_at(*plan, path) == nullptr);
  }
  for (const RootEntry& entry : *plan) {
    if (entry.kind == Kind::kBind) CHECK(entry.source.rfind("/var", 0) != 0);
  }
}

TEST_CASE("a root has a place for a toolbox and a shelf only when there is one") {
  CellSpec spec;
  CHECK(entry_at(*plan_root(spec), "run/cell/shelf") == nullptr);
  CHECK(entry_at(*plan_root(spec), "run/cell/tools") == nullptr);
  spec.toolbox = "/var/cache/box";
  spec.shelf = "/var/lib/shelf";
  REQUIRE(entry_at(*plan_root(spec), "run/cell/tools") != nullptr);
  CHECK(entry_at(*plan_root(spec), "run/cell/tools")->kind == Kind::kFolder);
  CHECK(entry_at(*plan_root(spec), "run/cell/shelf") != nullptr);
}

TEST_CASE("a given root is bound as it is, behind our own mount points") {
  const TemporaryFolder root;
  for (const char* name : {"usr/bin", "etc", "opt", "var", "home/me", "root", "proc", "tmp"})
    fs::create_directories(root.path() / name);
  fs::create_symlink("usr/bin", root.path() / "bin");
  put(root.path() / ".marker", "");
  CellSpec spec;
  spec.rootfs = root.path();
  const auto plan = plan_root(spec);
  REQUIRE(plan);
  for (const char* name : {"usr", "etc", "opt", "var"}) {
    INFO(name);
    REQUIRE(entry_at(*plan, name) != nullptr);
    CHECK(entry_at(*plan, name)->kind == Kind::kBind);
    CHECK(entry_at(*plan, name)->source == (root.path() / name).string());
  }
  CHECK(entry_at(*plan, "bin")->source == "usr/bin");
  CHECK(entry_at(*plan, "tmp")->kind == Kind::kFolder);
  for (const char* name : {"home", "root", ".marker", "etc/passwd"}) CHECK(entry_at(*plan, name) == nullptr);
  CHECK_FALSE(root_has_bash(spec));
  put(root.path() / "usr/bin/bash", "", 0755);
  CHECK(root_has_bash(spec));
}

TEST_CASE("what is no root file system is refused with the reason") {
  const TemporaryFolder empty;
  CellSpec spec;
  spec.rootfs = empty.path();
  CHECK(plan_root(spec).error().message.find("neither /usr nor /bin") != std::string::npos);
  spec.rootfs = empty.path() / "absent";
  CHECK(plan_root(spec).error().message.find("not a folder") != std::string::npos);
  spec.rootfs = "/";
  CHECK(plan_root(spec).error().message.find("--rootfs /") != std::string::npos);
}

TEST_CASE("on a file system without locks there is no skeleton, the answer says why, and those that are there stay") {
  const TemporaryFolder folder;
  const RootPlan plan = {{Kind::kFolder, "tmp", {}, {}, 01777}};
  const RootPlan other = {{Kind::kFolder, "etc", {}, {}, 0755}};
  REQUIRE(acquire_skeleton(folder.path(), plan));
  for (const int problem : kNoFlock) {
    const std::string said = without_flock(problem, [&] {
      const auto skeleton = acquire_skeleton(folder.path(), other);
      return skeleton ? "it is there" : skeleton.error().message;
    });
    CHECK(said == "cannot prepare the cell's root: cannot lock " + folder.path().string() +
                      ": its file system knows no locks (flock: " + std::strerror(problem) + "); " +
                      use_another_place("/run", "XDG_RUNTIME_DIR"));
    CHECK(entries_in(folder.path()) == 1);
  }
  CHECK(acquire_skeleton(folder.path(), plan));
}
