#include "engine/docker/tar.h"

#include <catch2/catch.hpp>

#include "base/file.h"
#include "base/process.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine::docker;

namespace {

std::string listed(const std::string& tar) {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/a.tar";
  REQUIRE(base::write_file(path, tar));
  base::SpawnOptions command;
  command.argv = {base::find_program("tar").value(), "--numeric-owner", "-tvf", path};
  command.environment = {"TZ=UTC", "LANG=C"};
  const auto answer = base::run_captured(std::move(command), std::chrono::seconds(20));
  REQUIRE(answer);
  CHECK(answer->status.code == 0);
  return answer->output;
}

}  // namespace

TEST_CASE("tar reads what is written here") {
  TarWriter tar;
  tar.add_folder("bin/", 0755, 1000, 70000);
  tar.add_file("program", 0755, std::string(1000, 'x'));
  tar.add_link("bin/cell", "../program");
  const std::string list = listed(std::move(tar).finish());
  INFO(list);
  CHECK(list.find("drwxr-xr-x 1000/70000 ") != std::string::npos);
  CHECK(list.find("-rwxr-xr-x 0/0            1000 1970-01-01 00:00 program\n") != std::string::npos);
  CHECK(list.find("bin/cell -> ../program\n") != std::string::npos);
}

TEST_CASE("the first file of an archive is found behind what is no file") {
  TarWriter tar;
  tar.add_folder("bin/", 0755, 0, 0);
  tar.add_link("bin/cell", "../program");
  tar.add_file("program", 0755, "content");
  const std::string archive = std::move(tar).finish();
  CHECK(first_file_of(archive) == "content");
  CHECK(first_file_of(archive.substr(0, 3 * 512 + 3)).empty());  // cut within the file
}

TEST_CASE("what is no archive has no file") {
  CHECK(first_file_of("").empty());
  CHECK(first_file_of("garbage").empty());
  CHECK(first_file_of(std::string(4096, '\0')).empty());
  CHECK(first_file_of(std::string(4096, '7')).empty());
  CHECK(first_file_of(std::string(4096, 'z')).empty());
}
