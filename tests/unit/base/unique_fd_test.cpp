#include "base/unique_fd.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

using namespace bashcell::base;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }
bool closes_on_exec(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }
UniqueFd null_device() { return UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)); }

}  // namespace

TEST_CASE("a descriptor has one owner, and is closed with it") {
  int number = -1;
  {
    UniqueFd first = null_device();
    number = first.get();
    UniqueFd second = std::move(first);
    CHECK(!first.valid());  // NOLINT: what is left of it is the point
    CHECK(second.get() == number);
    CHECK(is_open(number));
    UniqueFd third = null_device();
    const int replaced = third.get();
    third = std::move(second);
    CHECK(!is_open(replaced));
    CHECK(third.get() == number);
  }
  CHECK(!is_open(number));
}

TEST_CASE("moving a descriptor onto itself keeps it") {
  UniqueFd fd = null_device();
  UniqueFd& same = fd;
  fd = std::move(same);
  CHECK(is_open(fd.get()));
}

TEST_CASE("release gives the descriptor away, reset closes it") {
  UniqueFd fd = null_device();
  const int number = fd.release();
  CHECK(!fd.valid());
  CHECK(is_open(number));
  fd.reset(number);
  fd.reset();
  CHECK(!is_open(number));
  fd.reset();
  CHECK(fd.get() == -1);
}

TEST_CASE("what is made here closes on exec") {
  const Pipe pipe = make_pipe().value();
  const auto sockets = make_socket_pair().value();
  const UniqueFd copy = duplicate(pipe.read.get(), 100).value();
  for (const int fd : {pipe.read.get(), pipe.write.get(), sockets.first.get(), sockets.second.get(), copy.get()}) {
    CHECK(closes_on_exec(fd));
  }
  CHECK(copy.get() >= 100);
  const Result<UniqueFd> bad = duplicate(-1);
  REQUIRE(!bad.ok());
  CHECK(bad.error().message == "cannot duplicate descriptor -1: Bad file descriptor");
}

TEST_CASE("flags can be set and taken back") {
  const Pipe pipe = make_pipe().value();
  const int fd = pipe.read.get();
  REQUIRE(set_nonblocking(fd, true).ok());
  CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
  REQUIRE(set_nonblocking(fd, false).ok());
  CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) == 0);
  REQUIRE(set_close_on_exec(fd, false).ok());
  CHECK(!closes_on_exec(fd));
  CHECK(!set_nonblocking(-1, true).ok());
}

TEST_CASE("write_all writes everything, also through a small pipe") {
  Pipe pipe = make_pipe().value();
  const std::string data(1'000'000, 'x');
  std::string got;
  std::thread reader([&] {
    char buffer[5000];
    for (ssize_t n = 0; (n = ::read(pipe.read.get(), buffer, sizeof buffer)) > 0;)
      got.append(buffer, static_cast<size_t>(n));
  });
  const Result<void> written = write_all(pipe.write.get(), data);
  pipe.write.reset();
  reader.join();
  CHECK(written.ok());
  CHECK(got == data);
}

TEST_CASE("a peer that is gone is an error") {
  auto* const before = ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe = make_pipe().value();
  pipe.read.reset();
  const Result<void> written = write_all(pipe.write.get(), "x");
  ::signal(SIGPIPE, before);
  REQUIRE(!written.ok());
  CHECK(written.error().message == "cannot write: Broken pipe");
}
