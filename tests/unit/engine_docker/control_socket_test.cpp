#include "engine/docker/control_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "engine/cell_name.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;
using bashcell::engine::docker::ControlSocket;

namespace {

base::UniqueFd connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) socket.reset();
  return socket;
}

}  // namespace

TEST_CASE("a control socket takes one connection, and nobody's after it") {
  const TemporaryFolder tmp;
  const std::string folder = (tmp.path() / "control").string();
  base::Result<ControlSocket> control = ControlSocket::listen(folder, "cell");
  REQUIRE(control);
  struct stat info {};
  REQUIRE(::stat(folder.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  base::Pipe other = base::make_pipe().value();
  const std::string path = control->path();
  const std::string second_name = folder + "/second";
  std::filesystem::create_hard_link(path, second_name);  // as a mount in a cell keeps it
  const base::UniqueFd cell = connected_to(path);
  REQUIRE(cell.valid());
  const std::optional<base::UniqueFd> stream = std::move(*control).accept(other.read.get(), std::chrono::seconds(10));
  REQUIRE(stream.has_value());
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK_FALSE(connected_to(second_name).valid());
  REQUIRE(base::write_all(cell.get(), "hello"));
  char buffer[8] = {};
  pollfd readable{stream->get(), POLLIN, 0};
  REQUIRE(::poll(&readable, 1, 10'000) == 1);
  CHECK(::read(stream->get(), buffer, sizeof buffer) == 5);
}

TEST_CASE("a cell that speaks elsewhere, or not at all, is not waited for") {
  const TemporaryFolder tmp;
  const std::string folder = (tmp.path() / "control").string();
  base::Pipe other = base::make_pipe().value();
  CHECK_FALSE(ControlSocket::listen(folder, "a")->path().empty());  // gone again, unused
  CHECK_FALSE(std::filesystem::exists(folder + "/a"));
  CHECK_FALSE(ControlSocket::listen(folder, "b").value().accept(other.read.get(), base::Duration(20)).has_value());
  REQUIRE(base::write_all(other.write.get(), "x"));
  CHECK_FALSE(ControlSocket::listen(folder, "c").value().accept(other.read.get(), std::chrono::hours(1)).has_value());
  CHECK_FALSE(ControlSocket::listen(folder, std::string(120, 'x')));
}

TEST_CASE("names of dead servers are removed, others stay") {
  const TemporaryFolder tmp;
  const std::string folder = (tmp.path() / "control").string();
  const std::string mine = make_cell_name(base::ProcessIdentity::self());
  base::ProcessIdentity dead = base::ProcessIdentity::self();
  ++dead.start_ticks;
  std::filesystem::create_directory(folder);
  for (const std::string& name : {mine, make_cell_name(dead), std::string("other")}) {
    REQUIRE(base::write_file(folder + "/" + name, ""));
  }
  std::filesystem::create_directory(folder + "/" + make_cell_name(dead));  // as a daemon makes it
  ControlSocket::sweep(folder);
  size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++left;
    CHECK((entry.path().filename() == mine || entry.path().filename() == "other"));
  }
  CHECK(left == 2);
}
