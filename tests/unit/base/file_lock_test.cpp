#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>

#include "../../support/no_flock.h"
#include "../../support/temporary_folder.h"
#include "base/file.h"

using namespace bashcell;
using base::Error;
using base::FileLock;
using base::LockAttempt;
using base::LockBusy;
using base::take_lock;
using base::try_lock;
using namespace std::chrono_literals;

namespace {

bool held(const LockAttempt& attempt) { return std::holds_alternative<FileLock>(attempt); }
bool busy(const LockAttempt& attempt) { return std::holds_alternative<LockBusy>(attempt); }
std::string why(const LockAttempt& attempt) {
  const Error* error = std::get_if<Error>(&attempt);
  return error == nullptr ? std::string() : error->message;
}

}  // namespace

TEST_CASE("A lock excludes, and ends with its holder") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "lock").string();
  {
    const LockAttempt first = try_lock(path);
    REQUIRE(held(first));
    CHECK(busy(try_lock(path)));
    CHECK(busy(take_lock(path, 30ms)));
    CHECK((::fcntl(std::get<FileLock>(first).fd(), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(held(try_lock(path)));
}

TEST_CASE("A lock leaves the file as it is") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "data").string();
  REQUIRE(base::write_file(path, "41\n", 0640));
  { REQUIRE(held(take_lock(path))); }
  CHECK(base::read_file(path).value() == "41\n");
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0640);
}

TEST_CASE("Whoever waits gets the lock when the holder lets go, and when it is killed") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "lock").string();
  base::Pipe locked = base::make_pipe().value();
  const pid_t holder = ::fork();
  REQUIRE(holder >= 0);
  if (holder == 0) {
    const LockAttempt lock = try_lock(path);
    static_cast<void>(base::write_all(locked.write.get(), held(lock) ? "y" : "n"));
    for (;;) ::pause();
  }
  char answer = 0;
  REQUIRE(::read(locked.read.get(), &answer, 1) == 1);
  REQUIRE(answer == 'y');
  CHECK(busy(try_lock(path)));
  std::thread killer([holder] { ::kill(holder, SIGKILL); });
  CHECK(held(take_lock(path)));
  killer.join();
  ::waitpid(holder, nullptr, 0);
}

TEST_CASE("What was replaced while it was locked is not what is locked in the end") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "data").string();
  LockAttempt old = try_lock(path);
  REQUIRE(held(old));
  REQUIRE(base::write_file(path, "new"));
  // The new file is free, whatever is held of the old one.
  const LockAttempt next = try_lock(path);
  REQUIRE(held(next));
  struct stat locked {};
  struct stat named {};
  REQUIRE(::fstat(std::get<FileLock>(next).fd(), &locked) == 0);
  REQUIRE(::stat(path.c_str(), &named) == 0);
  CHECK(locked.st_ino == named.st_ino);
}

TEST_CASE("Nothing but a regular file is locked, and nothing is followed") {
  const TemporaryFolder dir;
  REQUIRE(::symlink((dir.path() / "target").c_str(), (dir.path() / "link").c_str()) == 0);
  CHECK_THAT(why(try_lock((dir.path() / "link").string())),
             Catch::Contains("symbolic link") && Catch::Contains((dir.path() / "link").string()));
  CHECK_FALSE(std::filesystem::exists((dir.path() / "target").string()));
  REQUIRE(::mkfifo((dir.path() / "fifo").c_str(), 0600) == 0);
  CHECK_THAT(why(try_lock((dir.path() / "fifo").string())), Catch::Contains("no regular file"));
  CHECK_THAT(why(try_lock(dir.path().string())), Catch::Contains("is a directory"));
  CHECK_THAT(why(try_lock((dir.path() / "none/lock").string())), Catch::Contains("No such file or directory"));
  CHECK_THAT(why(try_lock("/dev/null")), Catch::Contains("no regular file"));
  CHECK_THAT(why(try_lock("/proc/self/comm")), Catch::Contains("cannot lock /proc/self/comm") || Catch::Equals(""));
  CHECK(held(try_lock((dir.path() / "good").string())));
}

TEST_CASE("A thousand at once: each gets it once") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "count").string();
  REQUIRE(base::write_file(path, "0"));
  constexpr int kThreads = 50;
  constexpr int kEach = 20;
  std::vector<std::thread> threads;
  std::atomic<int> got = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < kEach; ++round) {
        const LockAttempt lock = take_lock(path, 60s);
        if (!held(lock)) continue;
        ++got;
        const int fd = std::get<FileLock>(lock).fd();
        char text[16] = {};
        static_cast<void>(!::pread(fd, text, sizeof text - 1, 0));
        const std::string next = std::to_string(std::atoi(text) + 1);
        static_cast<void>(!::pwrite(fd, next.data(), next.size(), 0));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(got == kThreads * kEach);
  CHECK(base::read_file(path).value() == std::to_string(kThreads * kEach));
}

TEST_CASE("On a file system without locks the answer says so and what to do, at once, and nothing is lost") {
  const TemporaryFolder dir;
  const std::string path = (dir.path() / "data").string();
  REQUIRE(base::write_file(path, "41\n"));
  for (const int problem : kNoFlock) {
    for (const bool shared : {false, true}) {
      const std::string said = without_flock(problem, [&] {
        const base::Instant begun = base::now();
        const LockAttempt attempt = take_lock(path, 60s, {.shared = shared, .cure = "use another place"});
        if (busy(try_lock(path))) return std::string("it is busy");
        return base::now() - begun < 30s ? why(attempt) : "it took long to say: " + why(attempt);
      });
      CHECK(said == "cannot lock " + path + ": its file system knows no locks (flock: " + std::strerror(problem) +
                        "); use another place");
    }
    CHECK(base::read_file(path).value() == "41\n");
    CHECK(held(try_lock(path)));
  }
  // Another problem is not a matter of the place.
  CHECK_THAT(without_flock(EIO, [&] { return why(try_lock(path, {.cure = "use another place"})); }),
             Catch::Equals("cannot lock " + path + ": Input/output error"));
}
