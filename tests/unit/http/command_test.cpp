// Servers at the other end of a command, as with ssh.

#include <signal.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"
#include "exchange.h"
#include "fake_server.h"
#include "http/dialer.h"
#include "requests.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

namespace {

Target command_target(std::vector<std::string> command) {
  Target target;
  target.name = "ssh://far";
  target.command = std::move(command);
  return target;
}

Target shell_target(const std::string& script) { return command_target({"sh", "-c", script}); }

Target bridge_target(const FakeServer& server) {
  return command_target({BASHCELL_TEST_PYTHON, "-I", "-S", BASHCELL_TEST_FOLDER "/bridge.py", server.path()});
}

std::string said_of(const std::string& script, base::Duration timeout = 10s) {
  Request request = get("/x");
  request.timeout = timeout;
  auto client = client_for(shell_target(script));
  std::string message = error_of(client->send(request));
  CHECK(error_of(client->upgrade(request)) == message);
  return message;
}

// A script that tells its process id before it becomes something else, and that id.
struct Announced {
  explicit Announced(const std::string& then) : script("echo $$ >" + file() + "; " + then) {}
  std::string file() const { return (folder.path() / "pid").string(); }
  pid_t pid() const { return static_cast<pid_t>(std::stoi(base::read_file(file()).value())); }

  TemporaryFolder folder;
  std::string script;
};

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

}  // namespace

TEST_CASE("requests and upgrades go through a command, each connection with one of its own") {
  FakeServer server([](Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      if (!contains(request, "Upgrade: tcp")) {
        peer.answer("200 OK", std::to_string(peer.number()));
        continue;
      }
      peer.write("HTTP/1.1 101 UPGRADED\r\n\r\nhello ");
      for (std::string bytes; !(bytes = peer.bytes()).empty();) peer.write(bytes);
    }
  });
  auto client = client_for(bridge_target(server));
  CHECK(good(client->send(get("/x"))).body == "1");
  CHECK(good(client->send(post("/x", "{}"))).body == "1");
  const auto connection = connected(client->upgrade(post("/attach")));
  CHECK(server.connections() == 2);
  CHECK(echoed(*connection, std::string("x")) == "hello ");
  CHECK(good(client->send(get("/x"))).body == "1");
}

TEST_CASE("a large answer and a large stream go through a command") {
  const std::string much = pattern(1'000'000);
  FakeServer server([&](Peer& peer) {
    if (contains(peer.request(), "Upgrade: tcp")) {
      peer.write("HTTP/1.1 101 UPGRADED\r\n\r\n");
      for (std::string bytes; !(bytes = peer.bytes()).empty();) peer.write(bytes);
    } else {
      peer.answer("200 OK", much);
    }
  });
  auto client = client_for(bridge_target(server));
  CHECK(good(client->send(get("/x"))).body == much);
  CHECK(echoed(*connected(client->upgrade(post("/x"))), much) == much);
}

TEST_CASE("a kept command that has ended is replaced by a new one") {
  FakeServer server([](Peer& peer) {
    peer.request();
    peer.answer("200 OK", std::to_string(peer.number()));
  });
  auto client = client_for(bridge_target(server));
  CHECK(good(client->send(get("/x"))).body == "1");
  server.wait_until_closed();
  CHECK(good(client->send(get("/x"))).body == "2");
}

TEST_CASE("what a command that fails has said last is the error") {
  CHECK(said_of("echo banner >&2; echo 'me@far: Permission denied (publickey).' >&2; exit 255") ==
        "cannot reach ssh://far: me@far: Permission denied (publickey).");
  CHECK(said_of("printf 'a\\033[31mb\\r\\n\\n' >&2") == "cannot reach ssh://far: a [31mb");
  CHECK(said_of("exit 3") == "cannot reach ssh://far: sh ended with exit code 3");
  CHECK(said_of("kill -9 $$") == "cannot reach ssh://far: sh ended with signal 9");
  // As much as it likes, without being held up.
  CHECK(said_of("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1") ==
        "cannot reach ssh://far: " + std::string(300, 'x') + "...");
  CHECK(said_of("echo 'Welcome to far'; exec cat >/dev/null") ==
        "what answers at ssh://far does not speak HTTP; its answer begins with: Welcome to far");
}

TEST_CASE("a command that is not there is named") {
  auto client = client_for(command_target({"no-such-program"}));
  CHECK(error_of(client->send(get("/x"))) == "cannot reach ssh://far: there is no program no-such-program");
  CHECK(error_of(client->upgrade(get("/x"))) == "cannot reach ssh://far: there is no program no-such-program");
}

TEST_CASE("a command that stalls is left when the time is over, and ended") {
  CHECK(said_of("exec cat >/dev/null", 250ms) == "the server at ssh://far did not answer within 0.25 s");
  CHECK(said_of("echo 'debug: connecting' >&2; exec cat >/dev/null", 250ms) ==
        "the server at ssh://far did not answer within 0.25 s (debug: connecting)");
  const Announced stubborn("trap '' TERM HUP; exec sleep 1000 <&- >&-");
  Request request = get("/x");
  request.timeout = 5s;
  auto client = client_for(shell_target(stubborn.script));
  CHECK(error_of(client->send(request)) == "the server at ssh://far closed the connection without an answer");
  CHECK_FALSE(exists(stubborn.pid()));
}

TEST_CASE("a command ends with the client, and with its connection") {
  // Speaks HTTP once, then stays.
  const std::string talk =
      "read -r line; printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nhi'; exec sleep 1000";
  const Announced kept(talk);
  auto client = client_for(shell_target(kept.script));
  CHECK(good(client->send(get("/x"))).body == "hi");
  CHECK(exists(kept.pid()));
  client.reset();
  CHECK_FALSE(exists(kept.pid()));

  const Announced upgraded("read -r line; printf 'HTTP/1.1 101 UP\\r\\n\\r\\n'; exec sleep 1000");
  client = client_for(shell_target(upgraded.script));
  auto connection = connected(client->upgrade(get("/x")));
  client.reset();
  CHECK(exists(upgraded.pid()));
  connection.reset();
  CHECK_FALSE(exists(upgraded.pid()));
}

TEST_CASE("a command has no terminal, our environment, and none of our descriptors") {
  // 3 is the shell's end of the pipe from ls.
  ::setenv("BASHCELL_TEST_HERE", "yes", 1);
  CHECK(said_of(
            "(: </dev/tty) 2>/dev/null && tty=has; echo \"${tty:-none} $BASHCELL_TEST_HERE $(ls /proc/$$/fd | tr '\\n' "
            "' ')\" >&2") == "cannot reach ssh://far: none yes 0 1 2 3");
  ::unsetenv("BASHCELL_TEST_HERE");
}

TEST_CASE("nobody else gets in at the place where commands are met") {
  const Announced ours("exec sleep 1000");
  Dialer dialer(shell_target(ours.script));
  const std::string path = dialer.meeting_point();
  REQUIRE(path.starts_with("/proc/self/fd/"));
  CHECK(dialer.meeting_point() == path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const auto connect_to_it = [&](int fd) {
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  };
  const int fd = dialer.open(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(fd >= 0);
  // Another process is first in the queue, and stays for the answer.
  base::Pipe ready = std::move(base::make_pipe()).value();
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
    const bool in = connect_to_it(other);
    base::write_all(ready.write.get(), in ? "c" : "-").ok();
    char byte = 0;
    ::_exit(::read(other, &byte, 1) == 0 ? 0 : 1);  // closed, without a byte
  }
  char byte = 0;
  REQUIRE(::read(ready.read.get(), &byte, 1) == 1);
  REQUIRE(byte == 'c');
  dialer.serve();
  int status = -1;
  REQUIRE(::waitpid(stranger, &status, 0) == stranger);
  CHECK(status == 0);
  CHECK_FALSE(std::filesystem::exists(ours.file()));
  REQUIRE(connect_to_it(fd));
  dialer.serve();
  CHECK_FALSE(dialer.failure().has_value());
  dialer.close(fd);
  CHECK(dialer.last_words().empty());
}
