#include "rpc/stdio_transport.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "base/file.h"

using namespace bashcell;
using namespace bashcell::rpc;

namespace {

using base::UniqueFd;

base::Pipe pipe_of() { return std::move(base::make_pipe()).value(); }

// The transport on two pipes, with the test as the client. run_until turns the loop and bounds every wait.
struct Fixture {
  explicit Fixture(UniqueFd in, UniqueFd out) : input(std::move(in)), output(std::move(out)) {
    ::signal(SIGPIPE, SIG_IGN);
  }

  void start() {
    TransportEvents events;
    events.on_line = [this](std::string_view line) {
      lines.emplace_back(line);
      if (on_line) on_line(line);
      check();
    };
    events.on_oversize = [this] { ++oversized, check(); };
    events.on_end = [this] { ++ends, check(); };
    events.on_write_failure = [this](const base::Error&) { ++failures, check(); };
    events.on_drained = [this] { ++drained, check(); };
    transport.start(std::move(events));
  }

  void check() {
    if (done && done()) loop.stop();
  }

  void run_until(std::function<bool()> condition) {
    done = std::move(condition);
    bool late = false;
    loop.after(base::Duration(20'000), [&] {
      late = true;
      loop.stop();
    });
    loop.run();
    REQUIRE_FALSE(late);
  }

  base::EventLoop loop;
  UniqueFd input;
  UniqueFd output;
  StdioTransport transport{loop, input.get(), output.get()};
  std::function<void(std::string_view)> on_line;
  std::function<bool()> done;
  std::vector<std::string> lines;
  int oversized = 0;
  int ends = 0;
  int failures = 0;
  int drained = 0;
};

UniqueFd dev_null(int flags) { return UniqueFd(::open("/dev/null", flags | O_CLOEXEC)); }

std::string read_to_end(int fd) {
  std::string all;
  std::array<char, 65536> buffer;
  for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;)
    all.append(buffer.data(), static_cast<size_t>(n));
  return all;
}

long resident_peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("a line written byte by byte, several in one write, CRLF and a last line without an end (C111)") {
  base::Pipe in = pipe_of();
  Fixture f(std::move(in.read), dev_null(O_WRONLY));
  f.start();
  std::thread client([&] {
    for (const char c : std::string("slow\n")) base::write_all(in.write.get(), {&c, 1}).ok();
    base::write_all(in.write.get(), "a\nb\r\n\nlast").ok();
    in.write.reset();
  });
  f.run_until([&] { return f.ends == 1; });
  client.join();
  CHECK(f.lines == std::vector<std::string>{"slow", "a", "b", "", "last"});
}

TEST_CASE("input may be a regular file or /dev/null") {
  const std::string path = "/tmp/bashcell_stdio_test." + std::to_string(::getpid());
  REQUIRE(base::write_file(path, "one\ntwo").ok());
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink(path.c_str());
  Fixture f(std::move(file), dev_null(O_WRONLY));
  f.start();
  f.run_until([&] { return f.ends == 1; });
  CHECK(f.lines == std::vector<std::string>{"one", "two"});

  Fixture empty(dev_null(O_RDONLY), dev_null(O_WRONLY));
  empty.start();
  empty.run_until([&] { return empty.ends == 1; });
  CHECK(empty.lines.empty());
}

TEST_CASE("an input that cannot be read has ended") {
  Fixture f(UniqueFd(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), dev_null(O_WRONLY));
  f.start();
  f.run_until([&] { return f.ends == 1; });
  CHECK(f.lines.empty());
}

TEST_CASE("an answer is written at once, without a turn of the loop") {
  base::Pipe out = pipe_of();
  Fixture f(dev_null(O_RDONLY), std::move(out.write));
  f.start();
  f.transport.send("hello");
  CHECK(f.transport.unsent() == 0);
  std::array<char, 16> buffer{};
  CHECK(::read(out.read.get(), buffer.data(), buffer.size()) == 6);
  CHECK(std::string(buffer.data()) == "hello\n");
}

TEST_CASE("the shared descriptors stay in blocking mode") {
  base::Pipe in = pipe_of();
  base::Pipe out = pipe_of();
  Fixture f(std::move(in.read), std::move(out.write));
  f.start();
  f.transport.send("x");
  CHECK((::fcntl(f.input.get(), F_GETFL) & O_NONBLOCK) == 0);
  CHECK((::fcntl(f.output.get(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("a gigabyte in one line is one error, costs bounded memory, and the next line works (C110)") {
  base::Pipe in = pipe_of();
  Fixture f(std::move(in.read), dev_null(O_WRONLY));
  f.start();
  const long before = resident_peak_kib();
  std::thread client([&] {
    const std::string piece(1 << 20, 'A');
    for (int i = 0; i < 1024; ++i) base::write_all(in.write.get(), piece).ok();
    base::write_all(in.write.get(), "\nping\n").ok();
    in.write.reset();
  });
  f.run_until([&] { return f.ends == 1; });
  client.join();
  CHECK(f.oversized == 1);
  CHECK(f.lines == std::vector<std::string>{"ping"});
  CHECK(resident_peak_kib() - before < 40 * 1024);
}

TEST_CASE("a line of exactly the cap is served") {
  base::Pipe in = pipe_of();
  Fixture f(std::move(in.read), dev_null(O_WRONLY));
  f.start();
  std::thread client([&] {
    base::write_all(in.write.get(), std::string(kMaxLineBytes, 'x') + "\n" + std::string(kMaxLineBytes + 1, 'y') + "\n")
        .ok();
    in.write.reset();
  });
  f.run_until([&] { return f.ends == 1; });
  client.join();
  CHECK(f.oversized == 1);
  REQUIRE(f.lines.size() == 1);
  CHECK(f.lines[0].size() == kMaxLineBytes);
}

TEST_CASE("a client that closes its reading end is told, without anything being sent (C120)") {
  base::Pipe in = pipe_of();
  base::Pipe out = pipe_of();
  Fixture f(std::move(in.read), std::move(out.write));
  f.start();
  out.read.reset();
  f.run_until([&] { return f.failures == 1; });
  f.transport.send("dropped");
  CHECK(f.transport.unsent() == 0);
}

TEST_CASE("a write error is one event, and not from inside send (C120)") {
  base::Pipe in = pipe_of();
  base::Pipe out = pipe_of();
  Fixture f(std::move(in.read), std::move(out.write));
  f.start();
  out.read.reset();
  f.transport.send("a");
  f.transport.send("b");
  CHECK(f.failures == 0);
  f.run_until([&] { return f.failures == 1; });
  CHECK(f.transport.unsent() == 0);
}

TEST_CASE("a client that does not read is not waited for, and gets everything in order") {
  for (const bool socket : {false, true}) {
    UniqueFd reader;
    UniqueFd writer;
    if (socket) {
      auto [ours, theirs] = std::move(base::make_socket_pair()).value();
      reader = std::move(theirs);
      writer = std::move(ours);
    } else {
      base::Pipe out = pipe_of();
      reader = std::move(out.read);
      writer = std::move(out.write);
    }
    base::Pipe in = pipe_of();
    Fixture f(std::move(in.read), std::move(writer));
    f.start();
    std::string expected;
    for (int i = 0; i < 300; ++i) {
      const std::string line = std::to_string(i) + std::string(10'000, 'x');
      f.transport.send(line);
      expected += line + "\n";
    }
    CHECK(f.transport.unsent() > 1'000'000);
    std::string got;
    std::thread client([&] {
      std::array<char, 65536> buffer;
      while (got.size() < expected.size()) {
        const ssize_t n = ::read(reader.get(), buffer.data(), buffer.size());
        if (n <= 0) break;
        got.append(buffer.data(), static_cast<size_t>(n));
      }
    });
    f.run_until([&] { return f.drained == 1; });
    client.join();
    CHECK(f.transport.unsent() == 0);
    CHECK(got == expected);
  }
}

TEST_CASE("a client that sends but does not read is not read from beyond the limit") {
  base::Pipe in = pipe_of();
  base::Pipe out = pipe_of();
  Fixture f(std::move(in.read), std::move(out.write));
  const std::string answer(100'000, 'a');
  constexpr int kLines = 2000;
  f.on_line = [&](std::string_view) { f.transport.send(answer); };
  f.start();
  std::thread sender([&] {
    // 200 bytes a line: the pipe holds some hundred, one read takes at most 327.
    for (int i = 0; i < kLines; ++i) base::write_all(in.write.get(), std::string(199, 'q') + "\n").ok();
    in.write.reset();
  });
  size_t most = 0;
  std::string got;
  std::thread reader;
  // The client begins to read only when the transport has stopped reading.
  f.run_until([&] {
    most = std::max(most, f.transport.unsent());
    if (!reader.joinable() && f.transport.unsent() > size_t{8} * 1024 * 1024) {
      reader = std::thread([&] { got = read_to_end(out.read.get()); });
    }
    return f.ends == 1 && f.transport.unsent() == 0;
  });
  f.output.reset();
  sender.join();
  reader.join();
  CHECK(f.lines.size() == kLines);
  CHECK(got.size() == kLines * (answer.size() + 1));
  CHECK(most < size_t{8} * 1024 * 1024 + 400 * answer.size());
}
