#include "shelf/store.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/sha256.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::shelf;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

struct Shelf {
  std::string put(const std::string& name, const std::string& script) const { return put_into(store, name, script); }
  static std::string put_into(const Store& store, const std::string& name, const std::string& script) {
    const base::LockAttempt lock = store.take_lock();
    REQUIRE(std::holds_alternative<base::FileLock>(lock));
    wire::ShelfEntry entry{.name = name, .script = script, .provenance = {.saved_at = 1'000'000'000, .wall_ms = 7}};
    const auto made = store.put(std::get<base::FileLock>(lock), std::move(entry));
    return made ? "saved" : made.error().message;
  }
  std::string remove(const std::string& name) const {
    const base::LockAttempt lock = store.take_lock();
    const auto made = store.remove(std::get<base::FileLock>(lock), name);
    return made ? "removed" : made.error().message;
  }
  // Nothing: there is no such entry.
  std::string script(const std::string& name) const {
    const auto entry = wire::read_shelf_entry(store.entries(), name);
    return entry ? entry->script : "";
  }
  fs::path entries() const { return store.entries(); }

  TemporaryFolder folder;
  Place place{.folder = folder.path() / "lib/bashcell/shelf/key", .workspace = folder.path()};
  Store store = *Store::open(place);
};

std::string why_not(const Place& place) {
  const auto store = Store::open(place);
  return store ? "opened" : store.error().message;
}

}  // namespace

TEST_CASE("what is put on the shelf is a program with its provenance, replaced and removed under its name") {
  const Shelf shelf;
  CHECK(wire::shelf_names(shelf.store.entries()).empty());
  REQUIRE(shelf.put("count", "#!/bin/sh\necho one\n") == "saved");
  REQUIRE(shelf.put("count", "#!/bin/sh\necho two\n") == "saved");
  CHECK(shelf.script("count") == "#!/bin/sh\necho two\n");
  struct stat info {};
  REQUIRE(::stat((shelf.entries() / "bin/count").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0755);
  const auto entry = wire::read_shelf_entry(shelf.store.entries(), "count");
  CHECK(entry->provenance.sha256 == base::sha256_hex("#!/bin/sh\necho two\n"));
  CHECK(entry->provenance.wall_ms == 7);
  CHECK(shelf.remove("count") == "removed");
  CHECK(shelf.remove("count") == "there is no 'count' on the shelf");
  CHECK(shelf.remove("../shelf.json") == "there is no '../shelf.json' on the shelf");
  CHECK(fs::is_empty(shelf.entries() / "bin"));
  CHECK(fs::is_empty(shelf.entries() / "about"));
}

TEST_CASE("nobody else may enter the folder, and what cells see has neither lock nor drafts") {
  const Shelf shelf;
  struct stat info {};
  REQUIRE(::stat(shelf.place.folder.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  REQUIRE(shelf.put("a", "#!x\n") == "saved");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(shelf.entries())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"about", "bin", "shelf.json"});
}

TEST_CASE("a kill between any two steps leaves the script before, or the new one, and never one without proof") {
  const Shelf shelf;
  REQUIRE(shelf.put("count", "#!old\n") == "saved");
  const std::string old_about = *base::read_file(shelf.entries() / "about/count.json");
  REQUIRE(shelf.put("count", "#!new\n") == "saved");
  CHECK(shelf.script("count") == "#!new\n");
  // Killed before the script was moved in: the provenance speaks of both.
  write(shelf.entries() / "bin/count", "#!old\n");
  CHECK(shelf.script("count") == "#!old\n");
  // A script that no provenance speaks of.
  write(shelf.entries() / "bin/count", "#!forged\n");
  CHECK(shelf.script("count").empty());
  write(shelf.entries() / "about/count.json", old_about);
  CHECK(shelf.script("count").empty());
  fs::remove(shelf.entries() / "about/count.json");
  CHECK(shelf.script("count").empty());
  // A draft of a killed server is in nobody's way.
  write(fs::path(shelf.place.folder) / "drafts/script", "#!half");
  REQUIRE(shelf.put("count", "#!again\n") == "saved");
  CHECK(shelf.script("count") == "#!again\n");
}

TEST_CASE("a damaged provenance is no entry, and none of the others'") {
  const Shelf shelf;
  REQUIRE(shelf.put("good", "#!g\n") == "saved");
  REQUIRE(shelf.put("bad", "#!b\n") == "saved");
  const std::string nested = "{\"sha256\":" + std::string(5000, '[') + std::string(5000, ']') + "}";
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{\"sha256\": 7}"),
                                  std::string("\xff\0", 2), nested, std::string(100'000, ' ')}) {
    write(shelf.entries() / "about/bad.json", text);
    CHECK(shelf.script("bad").empty());
  }
  CHECK(shelf.script("good") == "#!g\n");
  fs::remove(shelf.entries() / "about/bad.json");
  REQUIRE(::mkfifo((shelf.entries() / "about/bad.json").c_str(), 0600) == 0);
  CHECK(shelf.script("bad").empty());
}

TEST_CASE("a shelf of a newer version is read, and not written") {
  const Shelf shelf;
  REQUIRE(shelf.put("count", "#!c\n") == "saved");
  write(shelf.entries() / "shelf.json", "{\"version\": 2, \"more\": []}");
  CHECK(shelf.put("count", "#!d\n") ==
        "the shelf is of version 2, and this bashcell writes version 1: use the newer one");
  CHECK(shelf.remove("count").starts_with("the shelf is of version 2"));
  CHECK(shelf.script("count") == "#!c\n");
  CHECK(why_not(shelf.place) == "opened");
  for (const char* text : {"", "{", "{\"version\": \"1\"}", "{\"version\": -1}"}) {
    write(shelf.entries() / "shelf.json", text);
    CHECK(shelf.put("count", "#!d\n") == shelf.store.entries() + "/shelf.json is damaged; remove it");
  }
}

TEST_CASE("the shelf has an end, at which what is no entry makes room") {
  const Shelf shelf;
  for (size_t i = 0; i < wire::kMaxShelfEntries; ++i) REQUIRE(shelf.put("s" + std::to_string(i), "#!s\n") == "saved");
  CHECK(shelf.put("more", "#!m\n") == "the shelf is full (200 scripts): remove one with cell rm NAME");
  CHECK(shelf.put("s7", "#!other\n") == "saved");
  write(shelf.entries() / "bin/s9", "#!no longer what was proven\n");
  CHECK(shelf.put("more", "#!m\n") == "saved");
  CHECK(wire::shelf_names(shelf.store.entries()).size() == wire::kMaxShelfEntries);
}

TEST_CASE("a folder that is a link, or no folder, or another user's, is refused by name") {
  const TemporaryFolder folder;
  const fs::path parent = folder.path() / "bashcell/shelf";
  fs::create_directories(parent);
  fs::create_directories(folder.path() / "elsewhere");
  fs::create_directory_symlink(folder.path() / "elsewhere", parent / "link");
  write(parent / "file", "");
  CHECK(why_not({.folder = parent / "link"}) == (parent / "link").string() + " is not a folder; remove it");
  CHECK(why_not({.folder = parent / "file"}) == (parent / "file").string() + " is not a folder; remove it");
  CHECK(fs::is_empty(folder.path() / "elsewhere"));
  fs::create_directories(parent / "mine/entries");
  fs::create_directory_symlink(folder.path() / "elsewhere", parent / "mine/entries/bin");
  CHECK(why_not({.folder = parent / "mine"}) == (parent / "mine/entries/bin").string() + " is not a folder; remove it");
  if (::geteuid() != 0) return;
  fs::create_directories(parent / "theirs");
  REQUIRE(::chown((parent / "theirs").c_str(), 4711, 4711) == 0);
  CHECK(why_not({.folder = parent / "theirs"}).find("belongs to another user (uid 4711)") != std::string::npos);
}

TEST_CASE("two that write at once leave one whole pair, and never lose another's script") {
  const Shelf shelf;
  constexpr int kRounds = 40;
  const auto writer = [&](const std::string& who) {
    const Store store = *Store::open(shelf.place);
    for (int i = 0; i < kRounds; ++i) {
      base::LockAttempt lock = store.take_lock();
      const auto& locked = std::get<base::FileLock>(lock);
      store.put(locked, {.name = "both", .script = "#!" + who + std::to_string(i) + "\n", .provenance = {}}).ok();
      store.put(locked, {.name = who + std::to_string(i), .script = "#!" + who + "\n", .provenance = {}}).ok();
    }
  };
  std::thread one([&] { writer("a"); });
  std::thread two([&] { writer("b"); });
  int torn = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string script = shelf.script("both");
    if (!script.empty() && !(script.starts_with("#!") && script.ends_with("\n"))) ++torn;
  }
  one.join();
  two.join();
  CHECK(shelf.script("both").size() > 3);
  CHECK(wire::shelf_names(shelf.store.entries()).size() == 2 * kRounds + 1);
  CHECK(torn == 0);
}

TEST_CASE("without room on the disk nothing changes") {
  const Shelf shelf;
  REQUIRE(shelf.put("count", "#!c\n") == "saved");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string result = shelf.put("count", "#!" + std::string(500, 'x') + "\n");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(result != "saved");
  CHECK(shelf.script("count") == "#!c\n");
}

TEST_CASE("a new shelf takes the place of empty ones whose workspace is gone, and of no other") {
  const TemporaryFolder folder;
  const auto place = [&](const std::string& key) {
    return Place{.folder = folder.path() / "bashcell/shelf" / key, .workspace = folder.path() / key};
  };
  for (const char* key : {"gone", "kept", "used"}) {
    fs::create_directories(folder.path() / key);
    REQUIRE(Store::open(place(key)));
  }
  REQUIRE(Shelf::put_into(*Store::open(place("used")), "count", "#!c\n") == "saved");
  REQUIRE(Store::open({.folder = folder.path() / "bashcell/shelf/user"}));
  fs::remove(folder.path() / "gone");
  fs::remove(folder.path() / "used");
  fs::create_directories(folder.path() / "new");
  REQUIRE(Store::open(place("new")));
  CHECK_FALSE(fs::exists(place("gone").folder));
  for (const char* key : {"kept", "used", "new", "user"}) CHECK(fs::exists(place(key).folder));
}
