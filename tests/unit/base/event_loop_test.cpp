#include "base/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "../../support/temporary_folder.h"

using namespace bashcell::base;
using namespace std::chrono_literals;

namespace {

std::string read_some(int fd) {
  char buffer[100];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  return n > 0 ? std::string(buffer, static_cast<size_t>(n)) : "";
}

// A loop that a wrong test cannot hang.
struct BoundedLoop : EventLoop {
  BoundedLoop() {
    after(10s, [this] {
      timed_out = true;
      stop();
    });
  }
  bool timed_out = false;
};

}  // namespace

TEST_CASE("a readable descriptor is told, and hang-up too") {
  BoundedLoop loop;
  Pipe pipe = make_pipe().value();
  std::string got;
  loop.watch(pipe.read.get(), POLLIN, [&](short revents) {
    if ((revents & POLLIN) != 0) {
      got += read_some(pipe.read.get());
      pipe.write.reset();
    } else if ((revents & POLLHUP) != 0) {
      got += " hang-up";
      loop.unwatch(pipe.read.get());
      loop.stop();
    }
  });
  REQUIRE(write_all(pipe.write.get(), "hello").ok());
  loop.run();
  CHECK(got == "hello hang-up");
}

TEST_CASE("a regular file can be watched") {
  BoundedLoop loop;
  const bashcell::TemporaryFolder tmp;
  const UniqueFd file(::open((tmp.path() / "f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  bool told = false;
  loop.watch(file.get(), POLLIN, [&](short) {
    told = true;
    loop.stop();
  });
  loop.run();
  CHECK(told);
}

TEST_CASE("timers fire in the order of their time, once, and not before it") {
  BoundedLoop loop;
  std::vector<int> fired;
  const Instant start = now();
  Instant first_fired = start;
  loop.after(20ms, [&] { fired.push_back(2); });
  loop.after(10ms, [&] {
    fired.push_back(1);
    first_fired = now();
  });
  const EventLoop::TimerId cancelled = loop.after(15ms, [&] { fired.push_back(9); });
  loop.after(30ms, [&] { loop.stop(); });
  CHECK(cancelled != 0);
  loop.cancel(cancelled);
  loop.cancel(cancelled);
  loop.cancel(0);
  loop.run();
  CHECK(fired == std::vector<int>{1, 2});
  CHECK(first_fired - start >= 10ms);
}

TEST_CASE("a timer can cancel another that is due in the same turn") {
  BoundedLoop loop;
  bool fired = false;
  EventLoop::TimerId second = 0;
  loop.after(0ms, [&] { loop.cancel(second); });
  second = loop.after(0ms, [&] { fired = true; });
  loop.after(5ms, [&] { loop.stop(); });
  loop.run();
  CHECK(!fired);
}

TEST_CASE("a timer that always arms itself again does not starve descriptors") {
  BoundedLoop loop;
  Pipe pipe = make_pipe().value();
  std::function<void()> again = [&] { loop.after(0ms, again); };
  again();
  loop.watch(pipe.read.get(), POLLIN, [&](short) { loop.stop(); });
  REQUIRE(write_all(pipe.write.get(), "x").ok());
  loop.run();
  CHECK(!loop.timed_out);
}

TEST_CASE("what is posted from other threads runs on the loop's thread, all of it") {
  BoundedLoop loop;
  const std::thread::id loop_thread = std::this_thread::get_id();
  int ran = 0;
  int elsewhere = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) {
        loop.post([&] {
          if (std::this_thread::get_id() != loop_thread) ++elsewhere;
          if (++ran == 1000) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (std::thread& thread : threads) thread.join();
  CHECK(ran == 1000);
  CHECK(elsewhere == 0);
}

TEST_CASE("an action may post another, which runs in a later turn") {
  BoundedLoop loop;
  std::vector<int> order;
  loop.post([&] {
    loop.post([&] {
      order.push_back(2);
      loop.stop();
    });
    order.push_back(1);
  });
  loop.run();
  CHECK(order == std::vector<int>{1, 2});
}

TEST_CASE("after stop nothing runs any more, not even what was posted before") {
  EventLoop loop;
  bool ran = false;
  loop.stop();
  loop.post([&] { ran = true; });
  loop.after(0ms, [&] { ran = true; });
  loop.run();
  CHECK(!ran);
  SECTION("within a turn") {
    EventLoop other;
    other.post([&] { other.stop(); });
    other.post([&] { ran = true; });
    other.run();
    CHECK(!ran);
  }
}

TEST_CASE("stop from another thread ends a loop that waits for nothing") {
  EventLoop loop;
  std::thread stopper([&] { loop.stop(); });
  loop.run();
  stopper.join();
  SUCCEED("run() returned");
}

TEST_CASE("a callback may unwatch any descriptor, and is not called for it again in that turn") {
  BoundedLoop loop;
  Pipe one = make_pipe().value();
  Pipe two = make_pipe().value();
  REQUIRE(write_all(one.write.get(), "x").ok());
  REQUIRE(write_all(two.write.get(), "x").ok());
  int calls = 0;
  const auto first_wins = [&](short) {
    ++calls;
    loop.unwatch(one.read.get());
    loop.unwatch(two.read.get());
    loop.unwatch(two.read.get());
    loop.post([&] { loop.stop(); });
  };
  loop.watch(one.read.get(), POLLIN, first_wins);
  loop.watch(two.read.get(), POLLIN, first_wins);
  loop.run();
  CHECK(calls == 1);
}

TEST_CASE("a descriptor number that is reused in a callback does not get the old one's event") {
  BoundedLoop loop;
  Pipe one = make_pipe().value();
  Pipe two = make_pipe().value();
  REQUIRE(write_all(one.write.get(), "x").ok());
  REQUIRE(write_all(two.write.get(), "x").ok());
  Pipe fresh;
  int early = 0;
  const auto replace = [&](UniqueFd& other) {
    const int number = other.get();
    loop.unwatch(number);
    other.reset();
    fresh = make_pipe().value();  // gets the number that has just become free
    REQUIRE(fresh.read.get() == number);
    loop.watch(number, POLLIN, [&](short) { ++early; });
    loop.unwatch(one.read.valid() ? one.read.get() : two.read.get());
    loop.post([&] { loop.stop(); });
  };
  loop.watch(one.read.get(), POLLIN, [&](short) { replace(two.read); });
  loop.watch(two.read.get(), POLLIN, [&](short) { replace(one.read); });
  loop.run();
  CHECK(!loop.timed_out);
  CHECK(early == 0);
}

TEST_CASE("a callback may replace itself while it runs") {
  BoundedLoop loop;
  Pipe pipe = make_pipe().value();
  REQUIRE(write_all(pipe.write.get(), "x").ok());
  std::string order;
  const std::string captured(100, 'c');  // lives in the replaced function object
  loop.watch(pipe.read.get(), POLLIN, [&, captured](short) {
    loop.watch(pipe.read.get(), POLLIN, [&](short) {
      order += "second";
      loop.stop();
    });
    order += captured.substr(0, 1);
  });
  loop.run();
  CHECK(order == "csecond");
}

TEST_CASE("what is no longer waited for is not told, also not of the current turn") {
  BoundedLoop loop;
  Pipe one = make_pipe().value();
  Pipe two = make_pipe().value();
  REQUIRE(write_all(one.write.get(), "x").ok());
  REQUIRE(write_all(two.write.get(), "x").ok());
  int calls = 0;
  const auto silence_both = [&](short) {
    ++calls;
    loop.set_events(one.read.get(), 0);
    loop.set_events(two.read.get(), 0);
    loop.after(5ms, [&] { loop.stop(); });
  };
  loop.watch(one.read.get(), POLLIN, silence_both);
  loop.watch(two.read.get(), POLLIN, silence_both);
  loop.set_events(-5, POLLIN);
  loop.run();
  CHECK(calls == 1);
}
