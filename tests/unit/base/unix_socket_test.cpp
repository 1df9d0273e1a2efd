#include "base/unix_socket.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "../../support/temporary_folder.h"
#include "base/file.h"

using namespace bashcell;

TEST_CASE("a named socket takes connections as long as somebody listens") {
  const TemporaryFolder tmp;
  const std::string path = (tmp.path() / "s").string();
  CHECK_FALSE(base::connect_unix(path).valid());
  CHECK(errno == ENOENT);
  base::UniqueFd listening = base::listen_unix(path, 1);
  REQUIRE(listening.valid());
  const base::UniqueFd near = base::connect_unix(path);
  REQUIRE(near.valid());
  const base::UniqueFd far(::accept(listening.get(), nullptr, nullptr));
  CHECK(far.valid());
  CHECK_FALSE(base::listen_unix(path, 1).valid());
  CHECK(errno == EADDRINUSE);
  CHECK(std::filesystem::exists(path));
  listening.reset();
  CHECK_FALSE(base::connect_unix(path).valid());
  CHECK(errno == ECONNREFUSED);
}

TEST_CASE("paths that no socket can have are said to be so") {
  for (const auto& [path, error] : {std::pair{std::string(), ENOENT}, {"/" + std::string(200, 'x'), ENAMETOOLONG}}) {
    CHECK_FALSE(base::connect_unix(path).valid());
    CHECK(errno == error);
    CHECK_FALSE(base::listen_unix(path, 1).valid());
    CHECK(errno == error);
  }
}
