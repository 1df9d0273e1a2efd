// What a server can do wrong, and what is said of it. Each case ends with a request that works.

#include <grp.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <fstream>

#include "fake_server.h"
#include "requests.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

namespace {

// What the client says of a server that does `rude` with its first connection and behaves with all others.
std::string said_of(const std::function<void(Peer&)>& rude, const Request& request) {
  FakeServer server([&](Peer& peer) {
    if (peer.number() == 1) {
      peer.request();
      return rude(peer);
    }
    peer.request();
    peer.answer("200 OK", "well");
  });
  auto client = client_for(server.target());
  std::string message = error_of(client->send(request));
  CHECK(good(client->send(get("/again"))).body == "well");
  return with_fixed_name(std::move(message), server);
}

std::function<void(Peer&)> close_after(const std::string& bytes) {
  return [bytes](Peer& peer) { peer.write(bytes); };
}

Target unix_target(const std::string& path) {
  Target target;
  target.unix_socket = path;
  target.name = "unix://" + path;
  return target;
}

Target tcp_target(const std::string& host, int port) {
  Target target;
  target.host = host;
  target.port = port;
  target.name = "tcp://" + host + ":" + std::to_string(port);
  return target;
}

// A socket that listens and never accepts; its path.
base::UniqueFd listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(socket.get(), 1) == 0);
  return socket;
}

// What a client says that is run by somebody else than root.
std::string said_to_nobody(const Target& target) {
  base::Pipe pipe = std::move(base::make_pipe()).value();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(1);
    const auto client = make_curl_client(target);
    const std::string text = client ? error_of((*client)->send(get("/x"))) : client.error().message;
    base::write_all(pipe.write.get(), text).ok();
    ::_exit(0);
  }
  pipe.write.reset();
  std::string text;
  char piece[1000];
  for (ssize_t n = 0; (n = ::read(pipe.read.get(), piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<size_t>(n));
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace

TEST_CASE("garbage is shown") {
  CHECK(said_of(close_after("SSH-2.0-OpenSSH_9.2p1\r\n"), get("/x")) ==
        "what answers at unix:///s does not speak HTTP; its answer begins with: SSH-2.0-OpenSSH_9.2p1");
  CHECK(said_of(stall_after("220 mail.example.com ESMTP\r\n"), post("/x", "{}")) ==
        "what answers at unix:///s does not speak HTTP; its answer begins with: 220 mail.example.com ESMTP");
  CHECK(said_of(close_after(std::string("\x16\x03\x01\0\xff\xfe", 6) + std::string(5'000, 'x')), get("/x")) ==
        "what answers at unix:///s does not speak HTTP; its answer begins with: \xEF\xBF\xBD\xEF\xBF\xBD" +
            std::string(54, 'x') + "...");
  CHECK(said_of(close_after("no"), get("/x")) ==
        "what answers at unix:///s does not speak HTTP; its answer begins with: no");
  CHECK(contains(said_of(close_after("HTTP/9.9 200 OK\r\n\r\n"), get("/x")), "unix:///s"));
  CHECK(contains(said_of(close_after("HTTP/1.1 abc OK\r\n\r\n"), get("/x")), "unix:///s"));
  CHECK(contains(said_of(close_after("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), get("/x")), "unix:///s"));
}

TEST_CASE("a connection that ends too early is said to") {
  CHECK(said_of(close_after(""), post("/x")) == "the server at unix:///s closed the connection without an answer");
  CHECK(said_of(close_after("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), get("/x")) ==
        "the server at unix:///s closed the connection in the middle of its answer");
  CHECK(said_of(close_after("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), get("/x")) ==
        "the server at unix:///s closed the connection in the middle of its answer");
}

TEST_CASE("a server that stalls is left when the time is over") {
  Request request = get("/x");
  request.timeout = 250ms;
  CHECK(said_of(stall_after(""), request) == "the server at unix:///s did not answer within 0.25 s");
  CHECK(said_of(stall_after("HTTP/1.1 200 OK\r\nContent-Le"), request) ==
        "the server at unix:///s began an answer and did not finish it within 0.25 s");
  CHECK(said_of(stall_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), request) ==
        "the server at unix:///s began an answer and did not finish it within 0.25 s");
  // Something now and then does not extend it.
  CHECK(said_of(
            [](Peer& peer) {
              peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
              pollfd entry{peer.fd(), POLLIN, 0};
              while (::poll(&entry, 1, 20) == 0) peer.write("x");
            },
            request) == "the server at unix:///s began an answer and did not finish it within 0.25 s");
}

TEST_CASE("silence in the middle of an answer ends it, long before its time is over") {
  Request request = get("/x");
  request.timeout = 600s;
  request.silence = 250ms;
  CHECK(said_of(stall_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), request) ==
        "the server at unix:///s sent nothing for 0.25 s in the middle of its answer");
  CHECK(said_of(stall_after(""), request) == "the server at unix:///s sent nothing for 0.25 s instead of an answer");
  request.timeout = 0ms;  // none
  CHECK(said_of(stall_after(""), request) == "the server at unix:///s sent nothing for 0.25 s instead of an answer");
}

TEST_CASE("an answer that is too long is not read to its end") {
  Request request = get("/x");
  request.max_body = 1'000;
  CHECK(said_of([](Peer& peer) { peer.answer("200 OK", std::string(1'001, 'x')); }, request) ==
        "the answer of the server at unix:///s is longer than 1 KB");
  CHECK(said_of([](Peer& peer) { peer.answer("404 Not Found", std::string(100'000, 'x')); }, request) ==
        "the answer of the server at unix:///s is longer than 1 KB");
  CHECK(said_of([](Peer& peer) { peer.answer("200 OK", std::string(1'000, 'x')); }, request) == "no error");
  CHECK(said_of(stall_after("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n"), get("/x")) ==
        "the header of the answer of the server at unix:///s is longer than 65.5 KB");
  std::string interim;
  for (int i = 0; i < 5'000; ++i) interim += "HTTP/1.1 102 Processing\r\n\r\n";
  CHECK(said_of(stall_after(interim), get("/x")) ==
        "the header of the answer of the server at unix:///s is longer than 65.5 KB");
}

TEST_CASE("a socket that is not there, not listened at, or not a socket is told apart") {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "s").string();
  auto client = client_for(unix_target(path));
  const std::string name = "unix://" + path;
  CHECK(error_of(client->send(get("/x"))) ==
        "there is no socket at " + name + ": is the engine installed and running?");
  CHECK(error_of(client->upgrade(post("/x"))) ==
        "there is no socket at " + name + ": is the engine installed and running?");
  listen_at(path).reset();
  CHECK(error_of(client->send(get("/x"))) == "nobody listens at " + name + ": is the engine running?");
  std::filesystem::remove(path);
  std::ofstream(path) << "plain";
  CHECK(error_of(client->send(get("/x"))) == "nobody listens at " + name + ": is the engine running?");
  std::filesystem::remove(path);
  const base::UniqueFd listener = listen_at(path);
  Request request = get("/x");
  request.timeout = 200ms;
  CHECK(error_of(client->send(request)) == "the server at " + name + " did not answer within 0.2 s");
  // A queue that is full.
  for (int i = 0; i < 3; ++i) CHECK_FALSE(client_for(unix_target(path))->send(request).ok());
  CHECK(error_of(client->send(request)) ==
        "the server at " + name + " accepts no connection: it is stopped, or too busy");
  CHECK(error_of(client->upgrade(request)) ==
        "the server at " + name + " accepts no connection: it is stopped, or too busy");
}

TEST_CASE("a socket that one may not use is said to be, with the group that may") {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  const std::string path = (folder.path() / "s").string();
  const base::UniqueFd listener = listen_at(path);
  const Target target = unix_target(path);
  ::chmod(path.c_str(), 0);
  CHECK(said_to_nobody(target) ==
        "permission denied for " + target.name + ": use a rootless engine of your own, or have its owner allow you in");
  const struct group* const daemon = ::getgrnam("daemon");
  if (::geteuid() != 0 || daemon == nullptr) return;
  REQUIRE(::chown(path.c_str(), 0, daemon->gr_gid) == 0);
  ::chmod(path.c_str(), 0660);
  CHECK(said_to_nobody(target) == "permission denied for " + target.name +
                                      ": add yourself to its group (sudo usermod -aG daemon $USER, then log in again), "
                                      "or use a rootless engine");
}

TEST_CASE("a host that cannot be reached is said to be") {
  // A port that was free a moment ago.
  const base::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  socklen_t size = sizeof address;
  REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const Target refused = tcp_target("127.0.0.1", ntohs(address.sin_port));
  CHECK(error_of(client_for(refused)->send(get("/x"))) ==
        "nobody listens at " + refused.name + ": is the engine running, and does it listen there?");
  CHECK(error_of(client_for(refused)->upgrade(post("/x"))) ==
        "nobody listens at " + refused.name + ": is the engine running, and does it listen there?");
  const Target unknown = tcp_target("no-such-host.invalid", 2375);
  CHECK(error_of(client_for(unknown)->send(get("/x"))) ==
        "cannot reach " + unknown.name + ": the name no-such-host.invalid has no address");
}

TEST_CASE("nothing of a request can become another request") {
  std::atomic<int> requests = 0;
  FakeServer server([&](Peer& peer) {
    while (!peer.request().empty()) {
      ++requests;
      peer.answer("200 OK", "");
    }
  });
  auto client = client_for(server.target());
  const std::string refusal =
      "a request to " + server.target().name + " has odd characters in its method, path or headers and was not sent";
  for (const char* path : {"", "x", "/a b", "/a\r\nX: y", "/a\n", "/\x7f", "/\xC3\xA9", "/a#b"}) {
    CHECK(error_of(client->send(get(path))) == refusal);
    CHECK(error_of(client->upgrade(get(path))) == refusal);
  }
  Request request = get("/x");
  request.headers = {"X: y\r\nZ: w"};
  CHECK(error_of(client->send(request)) == refusal);
  request.headers.clear();
  request.method = "GET /y HTTP/1.1\r\n";
  CHECK(error_of(client->send(request)) == refusal);
  CHECK(requests == 0);
  CHECK(good(client->send(get("/%20/../x?y=z"))).status == 200);
}

TEST_CASE("a target that says nothing usable is refused before anything is sent") {
  CHECK(error_of(make_curl_client(Target{.name = "x"})) == "x does not say how to reach a server");
  CHECK(error_of(make_curl_client(Target{.name = "x", .unix_socket = "/s", .host = "h"})) ==
        "x does not say how to reach a server");
  CHECK(error_of(make_curl_client(unix_target("s"))) == "the path of the socket unix://s is not absolute");
  const std::string path = "/" + std::string(200, 's');
  CHECK(error_of(client_for(unix_target(path))->send(get("/x"))) ==
        "cannot connect to unix://" + path + ": File name too long");
  Target target = tcp_target("h", 1);
  target.tls = {.enabled = true, .ca = "/nonexistent/ca.pem"};
  CHECK(error_of(make_curl_client(target)) ==
        "cannot read /nonexistent/ca.pem, which tcp://h:1 needs: No such file or directory");
}
