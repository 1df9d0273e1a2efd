#include <fcntl.h>
#include <poll.h>

#include <catch2/catch.hpp>

#include "exchange.h"
#include "fake_server.h"
#include "requests.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

namespace {

constexpr const char* k101 = "HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";

// What upgrade() says of a server that answers so.
std::string said_of(const std::function<void(Peer&)>& rude) {
  FakeServer server([&](Peer& peer) {
    peer.request();
    rude(peer);
  });
  Request request = post("/attach");
  request.timeout = 250ms;
  std::string message = error_of(client_for(server.target())->upgrade(request));
  return with_fixed_name(std::move(message), server);
}

}  // namespace

TEST_CASE("an upgraded connection carries bytes both ways") {
  std::string seen;
  FakeServer server([&](Peer& peer) {
    seen = peer.request();
    peer.write(k101);
    for (std::string bytes; !(bytes = peer.bytes()).empty();) peer.write(bytes);
  });
  auto client = client_for(server.target());
  Request request = post("/v1.40/containers/x/attach?stream=1");
  request.headers = {"X-More: 1"};
  const std::unique_ptr<Connection> connection = connected(client->upgrade(request));
  CHECK(seen ==
        "POST /v1.40/containers/x/attach?stream=1 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bashcell\r\n"
        "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\nX-More: 1\r\n\r\n");
  CHECK((::fcntl(connection->poll_fd(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(connection->poll_fd(), F_GETFD) & FD_CLOEXEC) != 0);
  char buffer[10];
  errno = 0;
  CHECK(connection->receive(buffer, sizeof buffer) == -1);
  CHECK(errno == EAGAIN);
  CHECK(connection->receive(buffer, 0) == 0);
  CHECK(echoed(*connection, "one\n") == "one\n");
  const std::string much = pattern(2'000'000);
  CHECK(echoed(*connection, much) == much);
  CHECK(echoed(*connection, "two\n") == "two\n");
}

TEST_CASE("bytes right behind the header are the connection's, however they come") {
  const std::string answer = std::string("HTTP/1.1 100 Continue\r\n\r\n") + k101 + "first\nsecond\n";
  SECTION("at once") {
    FakeServer server([&](Peer& peer) {
      peer.request();
      peer.write(answer);
    });
    const auto connection = connected(client_for(server.target())->upgrade(post("/x")));
    char buffer[3];
    CHECK(connection->receive(buffer, sizeof buffer) == 3);
    CHECK(std::string(buffer, 3) == "fir");
    CHECK(received_to_end(*connection) == "st\nsecond\n");
    CHECK(connection->receive(buffer, sizeof buffer) == 0);
  }
  SECTION("byte by byte") {
    FakeServer server([&](Peer& peer) {
      peer.request();
      for (const char c : answer) peer.write(std::string_view(&c, 1));
    });
    CHECK(received_to_end(*connected(client_for(server.target())->upgrade(post("/x")))) == "first\nsecond\n");
  }
}

TEST_CASE("a raw stream behind a plain 200 is taken as well, an ordinary answer is not") {
  FakeServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\nraw");
  });
  CHECK(received_to_end(*connected(client_for(server.target())->upgrade(post("/x")))) == "raw");
  CHECK(said_of([](Peer& peer) { peer.answer("200 OK", "{}"); }) ==
        "the server at unix:///s answered a request for a raw stream with an ordinary answer: is there a proxy in "
        "between?");
}

TEST_CASE("the client's end is seen by the server, and the server's by the client") {
  std::mutex done;
  done.lock();
  FakeServer server([&](Peer& peer) {
    peer.request();
    peer.write(k101);
    peer.wait_for_end();
    done.unlock();
  });
  auto client = client_for(server.target());
  auto connection = connected(client->upgrade(post("/x")));
  client.reset();  // the connection is a thing of its own
  CHECK(connection->send("x") == 1);
  connection.reset();
  done.lock();  // until the server has seen it
  done.unlock();

  FakeServer leaving([&](Peer& peer) {
    peer.request();
    peer.write(k101);
  });
  const auto left = connected(client_for(leaving.target())->upgrade(post("/x")));
  CHECK(received_to_end(*left).empty());
  ssize_t n = 0;
  for (int i = 0; i < 3 && n >= 0; ++i) n = left->send("x");
  CHECK(n == -1);
  CHECK(errno == EPIPE);
}

TEST_CASE("a refusal says why") {
  CHECK(said_of([](Peer& peer) { peer.answer("404 Not Found", R"({"message":"No such container: x"})"); }) ==
        "the server at unix:///s answered with status 404: No such container: x");
  CHECK(said_of([](Peer& peer) { peer.answer("500 Internal Server Error", ""); }) ==
        "the server at unix:///s answered with status 500");
  CHECK(said_of([](Peer& peer) { peer.write("HTTP/1.1 502 Bad Gateway\r\n\r\n<h1>no\r\n backend</h1>"); }) ==
        "the server at unix:///s answered with status 502: <h1>no backend</h1>");
  CHECK(said_of(stall_after(
            "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"messag\r\n8\r\ne\":\"no\"}\r\n"
            "0\r\n\r\n")) == "the server at unix:///s answered with status 409: no");
  // A body that never ends is no reason to wait longer than for an answer.
  CHECK(said_of(stall_after("HTTP/1.1 409 Conflict\r\nContent-Length: 99\r\n\r\nbusy")) ==
        "the server at unix:///s answered with status 409: busy");
  CHECK(said_of([](Peer& peer) { peer.answer("400 Bad Request", std::string(1'000'000, 'x')); }) ==
        "the server at unix:///s answered with status 400: " + std::string(300, 'x') + "...");
}

TEST_CASE("what is no answer to an upgrade is told apart") {
  CHECK(said_of([](Peer& peer) { peer.write("SSH-2.0-x\r\n"); }) ==
        "what answers at unix:///s does not speak HTTP; its answer begins with: SSH-2.0-x");
  CHECK(said_of([](Peer&) {}) == "the server at unix:///s closed the connection without an answer");
  CHECK(said_of([](Peer& peer) { peer.write("HTTP/1.1 101 UPGRADED\r\nConn"); }) ==
        "the server at unix:///s closed the connection in the middle of its answer");
  CHECK(said_of(stall_after("")) == "the server at unix:///s did not answer within 0.25 s");
  CHECK(said_of(stall_after("HTTP/1.1 101 UPGRADED\r\nConn")) ==
        "the server at unix:///s began an answer and did not finish it within 0.25 s");
  CHECK(said_of(stall_after("HTTP/1.1 101 UPGRADED\r\nX: " + std::string(100'000, 'x'))) ==
        "the header of the answer of the server at unix:///s is longer than 65.5 KB");
  std::string interim;
  for (int i = 0; i < 5'000; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(said_of(stall_after(interim)) == "the header of the answer of the server at unix:///s is longer than 65.5 KB");
}
