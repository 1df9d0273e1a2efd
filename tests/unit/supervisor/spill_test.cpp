#include "supervisor/output/spill.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "../../support/temporary_folder.h"
#include "base/file.h"

namespace fs = std::filesystem;
using bashcell::TemporaryFolder;
using bashcell::base::read_file;
using bashcell::supervisor::Spill;
using bashcell::supervisor::SpillLimits;
using bashcell::supervisor::SpillStore;

namespace {

// A store in a folder of its own, and what a script might do there.
struct Cell {
  TemporaryFolder tmp;
  SpillStore store;
  fs::path folder = tmp.path() / ".cell/out";

  explicit Cell(SpillLimits limits = {}) : store(tmp.path(), limits) {}
  std::string content(uint64_t id) const { return read_file(store.path_of(id), 64U << 20U).value(); }
  // Puts one file through, as a call with more output than the reply holds does.
  Spill::Kept put(uint64_t id, const std::string& bytes) {
    Spill spill(id, 4, store);
    spill.add(bytes);
    return spill.keep();
  }
};

}  // namespace

TEST_CASE("a kept spill holds every byte under the number of its call") {
  Cell cell;
  Spill spill(7, 10, cell.store);
  const std::string bytes("raw\0\xff\033[1m", 9);
  for (int i = 0; i < 100; ++i) spill.add(bytes);
  const Spill::Kept kept = spill.keep();
  CHECK(kept.path == cell.tmp.path() / ".cell/out/7");
  CHECK(!kept.cut);
  CHECK(kept.problem.empty());
  std::string all;
  for (int i = 0; i < 100; ++i) all += bytes;
  CHECK(cell.content(7) == all);
  CHECK((fs::status(cell.folder).permissions() & fs::perms::all) == fs::perms::owner_all);
  CHECK((fs::status(kept.path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("no file is made until more has come than is held") {
  for (const size_t size : {0U, 1U, 9U, 10U, 11U}) {
    Cell cell;
    {
      Spill spill(1, 10, cell.store);
      for (size_t i = 0; i < size; ++i) spill.add("x");
      CHECK(fs::exists(cell.folder / "1") == (size > 10));
    }
    CHECK(!fs::exists(cell.folder / "1"));
    Spill spill(2, 10, cell.store);
    spill.add(std::string(size, 'x'));
    CHECK(spill.keep().path == cell.store.path_of(2));
    CHECK(cell.content(2) == std::string(size, 'x'));
  }
}

TEST_CASE("a spill that is not kept leaves nothing behind") {
  Cell cell;
  {
    Spill spill(1, 0, cell.store);
    spill.add("something");
    CHECK(fs::exists(cell.folder / "1"));
  }
  CHECK(fs::is_empty(cell.folder));
}

TEST_CASE("a file is cut at its limit, and says so") {
  for (const size_t size : {99U, 100U, 101U, 1000U}) {
    Cell cell({100, 1000, 10});
    Spill spill(1, 10, cell.store);
    for (size_t i = 0; i < size; ++i) spill.add("x");
    const Spill::Kept kept = spill.keep();
    CHECK(kept.cut == (size > 100));
    CHECK(cell.content(1) == std::string(std::min<size_t>(size, 100), 'x'));
  }
}

TEST_CASE("the oldest files go when all together reach the limit") {
  Cell cell({100, 250, 10});
  for (uint64_t id = 1; id <= 5; ++id) CHECK(cell.put(id, std::string(100, 'x')).problem.empty());
  CHECK(!fs::exists(cell.folder / "3"));
  CHECK(cell.content(4).size() == 100);
  CHECK(cell.content(5).size() == 100);
  SECTION("also by number") {
    Cell many({100, 1000, 2});
    for (uint64_t id = 1; id <= 3; ++id) many.put(id, "xxxxx");
    CHECK(!fs::exists(many.folder / "1"));
    CHECK(fs::exists(many.folder / "2"));
  }
  SECTION("files of calls that still run do not go: the newest is cut") {
    Spill one(6, 0, cell.store);
    Spill two(7, 0, cell.store);
    Spill three(8, 0, cell.store);
    for (Spill* spill : {&one, &two, &three}) spill->add(std::string(100, 'y'));
    CHECK(!one.keep().cut);
    CHECK(!two.keep().cut);
    CHECK(three.keep().cut);
  }
  SECTION("the space of a dropped file is free again") {
    for (uint64_t id = 10; id < 20; ++id) {
      Spill spill(id, 0, cell.store);
      spill.add(std::string(90, 'z'));
    }
    CHECK(fs::exists(cell.folder / "5"));
    CHECK(!cell.put(20, std::string(100, 'x')).cut);
    CHECK(fs::exists(cell.folder / "5"));
  }
}

TEST_CASE("a symbolic link in place of the file is replaced, not followed") {
  Cell cell;
  fs::create_directories(cell.folder);
  std::ofstream(cell.tmp.path() / "victim") << "precious";
  fs::create_symlink(cell.tmp.path() / "victim", cell.folder / "7");
  CHECK(cell.put(7, "output").problem.empty());
  CHECK(cell.content(7) == "output");
  CHECK(!fs::is_symlink(cell.folder / "7"));
  CHECK(read_file(cell.tmp.path() / "victim").value() == "precious");
}

TEST_CASE("a FIFO, a hard link or an empty folder in place of the file does no harm") {
  Cell cell;
  fs::create_directories(cell.folder / "2");
  REQUIRE(::mkfifo((cell.folder / "1").c_str(), 0600) == 0);
  std::ofstream(cell.tmp.path() / "victim") << "precious";
  fs::create_hard_link(cell.tmp.path() / "victim", cell.folder / "3");
  for (const uint64_t id : {1U, 2U, 3U}) {
    CHECK(cell.put(id, "output").problem.empty());
    CHECK(fs::is_regular_file(fs::symlink_status(cell.folder / std::to_string(id))));
    CHECK(cell.content(id) == "output");
  }
  CHECK(read_file(cell.tmp.path() / "victim").value() == "precious");
}

TEST_CASE("a filled folder in place of the file costs the file, and says so") {
  Cell cell;
  fs::create_directories(cell.folder / "1/inside");
  const Spill::Kept kept = cell.put(1, "output");
  CHECK(kept.path.empty());
  CHECK(kept.problem == "cannot create " + cell.store.path_of(1) + ": File exists");
  CHECK(cell.put(2, "output").problem.empty());
}

TEST_CASE("a link, FIFO or file in place of the spill folder is refused and not followed") {
  for (const std::string name : {".cell", ".cell/out"}) {
    for (const std::string kind : {"symlink", "dangling", "fifo", "file"}) {
      CAPTURE(name, kind);
      Cell cell;
      const fs::path elsewhere = cell.tmp.path() / "elsewhere";
      fs::create_directories(elsewhere / "out");
      if (name != ".cell") fs::create_directories(cell.tmp.path() / ".cell");
      const fs::path trap = cell.tmp.path() / name;
      if (kind == "symlink") fs::create_symlink(elsewhere, trap);
      if (kind == "dangling") fs::create_symlink(cell.tmp.path() / "nowhere", trap);
      if (kind == "fifo") REQUIRE(::mkfifo(trap.c_str(), 0600) == 0);
      if (kind == "file") std::ofstream(trap) << "x";
      const Spill::Kept kept = cell.put(1, "output");
      CHECK(kept.path.empty());
      CHECK(kept.problem.find("cannot open " + trap.string()) == 0);
      CHECK(fs::is_empty(elsewhere / "out"));
      CHECK(!fs::exists(cell.tmp.path() / "nowhere"));
      // The script cleans up: the next call has its file again.
      fs::remove(trap);
      CHECK(cell.put(2, "output").problem.empty());
    }
  }
}

TEST_CASE("a folder that a script removes between calls is made again") {
  Cell cell;
  CHECK(cell.put(1, "output").problem.empty());
  fs::remove_all(cell.tmp.path() / ".cell");
  CHECK(cell.put(2, "output").problem.empty());
  CHECK(cell.content(2) == "output");
}

TEST_CASE("a file that is not where the reply would say is a problem") {
  Cell cell;
  Spill spill(1, 0, cell.store);
  spill.add("output");
  const std::string moved = cell.store.path_of(1) + " was moved or deleted";
  SECTION("deleted") {
    fs::remove(cell.folder / "1");
    CHECK(spill.keep().problem == moved);
  }
  SECTION("replaced by a link to something else") {
    std::ofstream(cell.tmp.path() / "victim") << "precious";
    fs::remove(cell.folder / "1");
    fs::create_symlink(cell.tmp.path() / "victim", cell.folder / "1");
    CHECK(spill.keep().problem == moved);
    CHECK(read_file(cell.tmp.path() / "victim").value() == "precious");
  }
  SECTION("folder removed, while more is written") {
    fs::remove_all(cell.tmp.path() / ".cell");
    spill.add("more");
    CHECK(spill.keep().problem == moved);
  }
  SECTION("folder moved away, and a link to another put in its place") {
    fs::rename(cell.folder, cell.tmp.path() / "away");
    fs::create_directory(cell.tmp.path() / "trap");
    fs::create_symlink(cell.tmp.path() / "trap", cell.folder);
    spill.add("more");
    CHECK(spill.keep().problem == moved);
    CHECK(fs::is_empty(cell.tmp.path() / "trap"));
    CHECK(!fs::exists(cell.tmp.path() / "away/1"));
  }
}

TEST_CASE("a write over RLIMIT_FSIZE is remembered, not fatal") {
  Cell cell;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Spill::Kept kept = cell.put(1, std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  CHECK(kept.path.empty());
  CHECK(kept.problem == "cannot write: File too large");
  CHECK(!fs::exists(cell.folder / "1"));
}

TEST_CASE("a full /tmp is remembered, not fatal, and gets its space back") {
  Cell cell;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", cell.tmp.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    WARN("skipped: a tmpfs cannot be mounted here");
    return;
  }
  Spill full(1, 4, cell.store);
  for (int i = 0; i < 100; ++i) full.add(std::string(1000, 'x'));
  const Spill::Kept kept = full.keep();
  CHECK(kept.path.empty());
  CHECK(kept.problem == "cannot write: No space left on device");
  const Spill::Kept next = cell.put(2, std::string(30'000, 'y'));
  CHECK(next.problem.empty());
  CHECK(cell.content(2).size() == 30'000);
  REQUIRE(::umount2(cell.tmp.path().c_str(), MNT_DETACH) == 0);
}

TEST_CASE("no /tmp at all is remembered, not fatal") {
  SpillStore store("/proc/nowhere");
  Spill spill(1, 4, store);
  spill.add("output");
  const Spill::Kept kept = spill.keep();
  CHECK(kept.problem == "cannot open /proc/nowhere: No such file or directory");
}
