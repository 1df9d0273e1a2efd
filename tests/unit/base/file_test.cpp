#include "base/file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "../../support/temporary_folder.h"

namespace fs = std::filesystem;
using bashcell::TemporaryFolder;
using namespace bashcell::base;

TEST_CASE("what is written is read back, whole or up to the limit") {
  const TemporaryFolder tmp;
  const std::string path = tmp.path() / "file";
  for (const size_t size : {0U, 1U, 2U, 3U, 16383U, 16384U, 16385U, 100'000U}) {
    const std::string content(size, 'x');
    REQUIRE(write_file(path, content).ok());
    CHECK(read_file(path).value() == content);
    CHECK(read_file(path, 3).value() == content.substr(0, 3));
    CHECK(read_file(path, 0).value().empty());
  }
}

TEST_CASE("a file is replaced as a whole, with the wanted mode") {
  const TemporaryFolder tmp;
  const std::string path = tmp.path() / "file";
  REQUIRE(write_file(path, "old", 0600).ok());
  REQUIRE(write_file(path, "new", 0751).ok());
  CHECK(read_file(path).value() == "new");
  CHECK((fs::status(path).permissions() & fs::perms::all) == static_cast<fs::perms>(0751));
  CHECK(std::distance(fs::directory_iterator(tmp.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a symbolic link is replaced, and what it leads to stays") {
  const TemporaryFolder tmp;
  REQUIRE(write_file(tmp.path() / "target", "precious").ok());
  fs::create_symlink(tmp.path() / "target", tmp.path() / "link");
  REQUIRE(write_file(tmp.path() / "link", "new").ok());
  CHECK(read_file(tmp.path() / "target").value() == "precious");
  CHECK(read_file(tmp.path() / "link").value() == "new");
}

TEST_CASE("errors name the path") {
  const TemporaryFolder tmp;
  const std::string missing = tmp.path() / "no/file";
  CHECK(read_file(missing).error().message == "cannot open " + missing + ": No such file or directory");
  CHECK(read_file(tmp.path()).error().message == "cannot read " + tmp.path().string() + ": Is a directory");
  CHECK(write_file(missing, "x").error().message.find("cannot create " + missing) == 0);
}

TEST_CASE("files of unknown size, and pipes without a writer, are read without waiting") {
  CHECK(read_file("/proc/self/status").value().find("Name:") == 0);
  const TemporaryFolder tmp;
  const std::string fifo = tmp.path() / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(read_file(fifo).value().empty());
}

TEST_CASE("blanks and newlines are trimmed at both ends only") {
  CHECK(trimmed("").empty());
  CHECK(trimmed(" \t\r\n").empty());
  CHECK(trimmed("a") == "a");
  CHECK(trimmed("\n a b\t\n") == "a b");
}
