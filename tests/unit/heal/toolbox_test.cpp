#include "heal/toolbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "engine/private_folder.h"
#include "heal/toolbox_sweep.h"
#include "support/no_flock.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::heal;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const std::string& text, fs::perms mode = fs::perms(0644)) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  fs::permissions(path, mode);
}

// A toolbox, and the folder that a cell would have filled.
struct Box {
  explicit Box(int64_t max_bytes = kMaxPackageBytes) : toolbox(*Toolbox::open(path, engine::User{}, max_bytes)) {}

  // As packages/install.sh leaves it, with one program of that name.
  void stage(const std::string& package, const std::string& command) {
    staging = *toolbox.make_staging();
    put(fs::path(staging) / "out/tree/usr/bin" / command, "#!/bin/sh\necho ran\n", fs::perms(0755));
    fs::create_directories(staging + "/out/bin");
    fs::create_symlink("../packages/" + package + "/usr/bin/" + command, staging + "/out/bin/" + command);
  }
  std::string accept(const std::string& package, const std::string& command) {
    const auto taken = toolbox.accept(staging, {.place = package, .command = command}, table);
    return taken ? "taken" : taken.error().message;
  }
  bool is_empty() const {
    return fs::is_empty(toolbox.tools() + "/bin") && fs::is_empty(toolbox.tools() + "/packages");
  }

  PackageTable table;
  TemporaryFolder folder;
  std::string path = folder.path() / "cache/bashcell/toolbox/key";
  Toolbox toolbox;
  std::string staging;
};

}  // namespace

TEST_CASE("what a cell has staged is in the toolbox after it was taken, for everybody to read") {
  Box box;
  CHECK_FALSE(box.toolbox.has_command("rg"));
  box.stage("ripgrep", "rg");
  put(box.staging + "/out/names", "fzf\nripgrep\n");
  REQUIRE(box.accept("ripgrep", "rg") == "taken");
  box.toolbox.end_staging(box.staging);
  CHECK(box.toolbox.has_command("rg"));
  CHECK_FALSE(box.toolbox.has_command("../packages/ripgrep"));
  CHECK_FALSE(fs::exists(box.staging));
  CHECK(box.toolbox.index_has("fzf"));
  for (const char* name : {"fz", "zf", "fzf\nripgrep", ""}) CHECK_FALSE(box.toolbox.index_has(name));
  struct stat info {};
  REQUIRE(::stat((box.toolbox.tools() + "/bin/rg").c_str(), &info) == 0);
  CHECK(info.st_uid == ::geteuid());
  for (const char* open : {"", "/bin", "/packages", "/packages/ripgrep/usr/bin"}) {
    REQUIRE(::stat((box.toolbox.tools() + open).c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0755);
  }
  REQUIRE(::stat(box.path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0700);
}

TEST_CASE("another command of a package that is there replaces the package, and no other's commands") {
  Box box;
  box.stage("one", "a");
  REQUIRE(box.accept("one", "a") == "taken");
  box.stage("two", "b");
  fs::create_symlink("../packages/two/usr/bin/b", box.staging + "/out/bin/a");
  REQUIRE(box.accept("two", "b") == "taken");
  CHECK(fs::read_symlink(box.toolbox.tools() + "/bin/a") == "../packages/one/usr/bin/a");
  box.stage("two", "c");
  REQUIRE(box.accept("two", "c") == "taken");
  CHECK(fs::exists(box.toolbox.tools() + "/packages/two/usr/bin/c"));
}

TEST_CASE("a command that the table knows of another package comes with that one only") {
  Box box;
  box.stage("moreutils", "sponge");
  for (const char* name : {"jq", "ts"}) {
    fs::create_symlink("../packages/moreutils/usr/bin/sponge", box.staging + "/out/bin/" + name);
  }
  REQUIRE(box.accept("moreutils", "sponge") == "taken");
  CHECK_FALSE(box.toolbox.has_command("jq"));
  CHECK(box.toolbox.has_command("ts"));
}

TEST_CASE("a tree with anything that a tool does not need is refused whole") {
  struct Row {
    const char* what;
    std::function<void(const fs::path& out)> spoil;
  };
  const std::vector<Row> rows = {
      {"rights of its own", [](const fs::path& out) { put(out / "tree/su", "x", fs::perms(04755)); }},
      {"rights of its own", [](const fs::path& out) { put(out / "tree/sg", "x", fs::perms(02755)); }},
      {"no ordinary file", [](const fs::path& out) { REQUIRE(::mkfifo((out / "tree/pipe").c_str(), 0644) == 0); }},
      {"larger than 1 MB", [](const fs::path& out) { put(out / "tree/large", std::string(2 << 20, 'x')); }},
      {"nested too deeply",
       [](const fs::path& out) {
         fs::path deep = out / "tree";
         for (int i = 0; i < 100; ++i) deep /= "d";
         fs::create_directories(deep);
       }},
      {"has no command rg", [](const fs::path& out) { fs::remove(out / "bin/rg"); }},
      {"has no command rg",
       [](const fs::path& out) {
         fs::remove(out / "bin/rg");
         fs::create_symlink("../packages/ripgrep/../../../../etc/passwd", out / "bin/rg");
       }},
      {"has no command rg",
       [](const fs::path& out) {
         fs::remove(out / "bin/rg");
         fs::create_symlink("../packages/other/bin/rg", out / "bin/rg");
       }},
      {"has no command rg",
       [](const fs::path& out) {
         fs::remove(out / "bin/rg");
         put(out / "bin/rg", std::string(1 << 16, '#'), fs::perms(0755));
       }},
      {"is no folder",
       [](const fs::path& out) {
         fs::rename(out, out.parent_path() / "elsewhere");
         fs::create_symlink("elsewhere", out);
       }},
      {"is no folder", [](const fs::path& out) { fs::remove_all(out); }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Box box(1 << 20);
    box.stage("ripgrep", "rg");
    row.spoil(box.staging + "/out");
    CHECK(box.accept("ripgrep", "rg").find(row.what) != std::string::npos);
    CHECK(box.is_empty());
    // And the next one is as if nothing had been.
    box.stage("ripgrep", "rg");
    CHECK(box.accept("ripgrep", "rg") == "taken");
  }
}

TEST_CASE("links in a tree lead out of nothing on this machine, since nobody follows them") {
  Box box;
  put(box.folder.path() / "outside/secret", "secret", fs::perms(0600));
  box.stage("ripgrep", "rg");
  fs::create_symlink(box.folder.path() / "outside", box.staging + "/out/tree/link");
  REQUIRE(box.accept("ripgrep", "rg") == "taken");
  struct stat info {};
  REQUIRE(::stat((box.folder.path() / "outside/secret").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("names that are none do not reach the folder of commands") {
  Box box;
  box.stage("ripgrep", "rg");
  for (const char* name : {"-x", ".hidden", "a b", "x\ny"}) {
    fs::create_symlink("../packages/ripgrep/usr/bin/rg", box.staging + "/out/bin/" + name);
  }
  REQUIRE(box.accept("ripgrep", "rg") == "taken");
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(box.toolbox.tools() + "/bin")) count += entry.exists() ? 1 : 0;
  CHECK(count == 1);
  box.stage("x", "y");
  for (const char* place : {"../escape", "", "a/b", ".."})
    CHECK(box.accept(place, "y").find("not one") != std::string::npos);
}

TEST_CASE("Python finds a package by an entry for its version") {
  Box box;
  box.staging = *box.toolbox.make_staging();
  put(box.staging + "/out/tree/mod.py", "");
  fs::create_directories(box.staging + "/out/bin");
  REQUIRE(box.toolbox.accept(box.staging, {.place = "py-mod", .command = "", .python = "3.11"}, box.table));
  CHECK(box.toolbox.has_distribution("mod"));
  const std::string site = box.toolbox.tools() + "/python/lib/python3.11/site-packages";
  CHECK(fs::exists(site + "/py-mod.package"));
  CHECK(fs::exists(site + "/usercustomize.py"));
}

TEST_CASE("one server at a time changes a toolbox; the next removes what another has left") {
  Box box;
  const Toolbox other = *Toolbox::open(box.path, box.toolbox.user());
  std::optional<base::LockAttempt> lock = box.toolbox.try_lock();
  REQUIRE(std::holds_alternative<base::FileLock>(*lock));
  CHECK(std::holds_alternative<base::LockBusy>(other.try_lock()));
  const std::string left = *box.toolbox.make_staging();
  put(left + "/out/tree/half", "x");
  lock.reset();
  CHECK(std::holds_alternative<base::FileLock>(other.try_lock()));
  const std::string mine = *other.make_staging();
  CHECK(mine != left);
  CHECK_FALSE(fs::exists(left));
}

TEST_CASE("package lists go from one install to the next for a day") {
  Box box;
  const auto lists_in = [&] {
    box.staging = *box.toolbox.make_staging();
    return fs::exists(box.staging + "/apt/lists/x_Packages");
  };
  CHECK_FALSE(lists_in());
  put(box.staging + "/apt/lists/x_Packages", "");
  box.toolbox.end_staging(box.staging);
  CHECK(lists_in());
  box.toolbox.end_staging(box.staging);
  fs::last_write_time(box.path + "/apt/lists", fs::file_time_type::clock::now() - std::chrono::hours(25));
  CHECK_FALSE(lists_in());
}

TEST_CASE("a toolbox that is a link, or in somebody's open folder, is refused or closed") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "bashcell/toolbox";
  fs::create_directories(place);
  fs::create_directory(folder.path() / "elsewhere");
  fs::create_symlink(folder.path() / "elsewhere", place / "key");
  CHECK_FALSE(Toolbox::open(place / "key", {}));
  CHECK_FALSE(Toolbox::open("relative", {}));
  fs::remove(place / "key");
  fs::permissions(place, fs::perms(0777));
  REQUIRE(Toolbox::open(place / "key", {}));
  CHECK(fs::status(place).permissions() == fs::perms(0700));
  // What lies below is checked each time.
  fs::remove_all(place / "key/tools/bin");
  fs::create_symlink(folder.path() / "elsewhere", place / "key/tools/bin");
  CHECK_FALSE(Toolbox::open(place / "key", {}));
}

TEST_CASE("each kind of root and each user has a toolbox of its own") {
  const TemporaryFolder root;
  put(root.path() / "etc/os-release", "NAME=x\nID=debian\nVERSION_ID=\"12/../..\"\n");
  const std::string given = toolbox_key({.rootfs = root.path(), .uid = 7});
  CHECK(given.starts_with("debian-12....-"));
  CHECK(given.find('/') == std::string::npos);
  CHECK(given.ends_with("-7"));
  CHECK(toolbox_key({.image = "a", .uid = 7}) != toolbox_key({.image = "b", .uid = 7}));
  CHECK(toolbox_key({.image = "a/b:c", .uid = 7}).find('/') == std::string::npos);
  CHECK(toolbox_key({.uid = 7}) != toolbox_key({.uid = 8}));
  CHECK(toolbox_key({.rootfs = root.path() / "absent"}).starts_with("unknown-"));
}

TEST_CASE("a toolbox goes when its root is gone or it is old, but never while a server uses it") {
  const TemporaryFolder folder;
  const fs::path place = folder.path() / "bashcell/toolbox";
  const fs::path root = folder.path() / "root";
  fs::create_directory(root);
  const std::string own = place / "own";
  REQUIRE(ToolboxUse::begin(own, {}, ""));
  auto begun = ToolboxUse::begin(place / "of-root", {}, root);
  REQUIRE(begun);
  std::optional<ToolboxUse> use = std::move(*begun);
  REQUIRE(ToolboxUse::begin(place / "of-image", {}, ""));
  REQUIRE(Toolbox::open(place / "from-before", {}));
  put(place / "of-root/tools/packages/x/f", "x");
  const std::time_t now = std::time(nullptr);

  sweep_toolboxes(own, now + kToolboxKept - 60);
  for (const char* name : {"own", "of-root", "of-image", "from-before"}) CHECK(fs::exists(place / name));
  fs::remove_all(root);
  sweep_toolboxes(own, now);
  CHECK(fs::exists(place / "of-root/tools/packages/x/f"));  // in use
  use.reset();
  sweep_toolboxes(own, now);
  CHECK_FALSE(fs::exists(place / "of-root"));
  CHECK(fs::exists(place / "of-image"));
  const auto again = ToolboxUse::begin(place / "of-image", {}, "");
  REQUIRE(again);
  sweep_toolboxes(own, now + kToolboxKept + 60);
  CHECK(fs::exists(place / "own"));
  CHECK(fs::exists(place / "of-image"));
  CHECK_FALSE(fs::exists(place / "from-before"));
}

TEST_CASE("on a file system without locks nothing goes into a toolbox, the answer says why, and none is swept away") {
  Box box;
  box.stage("ripgrep", "rg");
  REQUIRE(box.accept("ripgrep", "rg") == "taken");
  const std::string old = box.folder.path() / "cache/bashcell/toolbox/old";
  REQUIRE(ToolboxUse::begin(old, engine::User{}, ""));
  const auto words_of = [](const auto& attempt) {
    const auto* error = std::get_if<base::Error>(&attempt);
    return error == nullptr ? std::string("no error") : error->message;
  };
  for (const int problem : kNoFlock) {
    const std::string said = without_flock(problem, [&] {
      sweep_toolboxes(box.path, std::time(nullptr) + 2 * kToolboxKept);
      const auto use = ToolboxUse::begin(box.path, engine::User{}, "");
      return words_of(box.toolbox.try_lock()) + "\n" + (use ? "no error" : use.error().message);
    });
    const std::string why = std::string(": its file system knows no locks (flock: ") + std::strerror(problem) + ")";
    CHECK(said == "cannot lock " + box.path + "/lock" + why + "; " +
                      engine::use_another_place("/var/cache", "XDG_CACHE_HOME") + "\ncannot lock " + box.path + "/use" +
                      why);
    CHECK(fs::exists(old));
    CHECK(box.toolbox.has_command("rg"));
  }
  CHECK(std::holds_alternative<base::FileLock>(box.toolbox.try_lock()));
  CHECK(ToolboxUse::begin(box.path, engine::User{}, ""));
}
