#include "http/curl_client.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "fake_server.h"
#include "requests.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

TEST_CASE("a request arrives as it was meant, and so does the answer") {
  std::string seen;
  FakeServer server([&](Peer& peer) {
    seen = peer.request();
    peer.answer("201 Created", R"({"Id":"x"})");
  });
  auto client = client_for(server.target());
  Request request = post("/v1.40/containers/create?name=a%20b", R"({"Image":"i"})");
  request.headers = {"X-Registry-Auth: e30="};
  const Response response = good(client->send(request));
  CHECK(response.status == 201);
  CHECK(response.good());
  CHECK(response.body == R"({"Id":"x"})");
  CHECK(seen.starts_with("POST /v1.40/containers/create?name=a%20b HTTP/1.1\r\n"));
  CHECK(contains(seen, "\r\nHost: localhost\r\n"));
  CHECK(contains(seen, "\r\nContent-Type: application/json\r\n"));
  CHECK(contains(seen, "\r\nX-Registry-Auth: e30=\r\n"));
  CHECK(!contains(seen, "Expect:"));
  CHECK(contains(seen, "\r\n\r\n{\"Image\":\"i\"}"));
}

TEST_CASE("every method is sent as itself, with a body only where there is one") {
  std::string seen;
  FakeServer server([&](Peer& peer) {
    while (!(seen = peer.request()).empty()) {
      if (seen.starts_with("HEAD")) {
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
      } else {
        peer.answer("200 OK", "x");
      }
    }
  });
  auto client = client_for(server.target());
  for (const char* method : {"GET", "HEAD", "DELETE", "POST", "PUT", "GET"}) {
    Request request = get("/x");
    request.method = method;
    const Response response = good(client->send(request));
    CHECK(response.body == (request.method == "HEAD" ? "" : "x"));
    CHECK(seen.starts_with(request.method + " /x HTTP/1.1\r\n"));
    CHECK(contains(seen, "Content-Length: 0") == (request.method[0] == 'P'));
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("a chunked answer is put together") {
  FakeServer server([](Peer& peer) {
    peer.request();
    peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nlong\r\n");
    peer.write("3;a=b\r\ner \r\n5\r\nstory\r\n0\r\n\r\n");
    peer.wait_for_end();
  });
  CHECK(good(client_for(server.target())->send(get("/x"))).body == "longer story");
}

TEST_CASE("an answer that says no is an answer") {
  FakeServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.answer("500 Internal Server Error", R"({"message":"no space left"})");
  });
  const Response response = good(client_for(server.target())->send(get("/x")));
  CHECK(response.status == 500);
  CHECK(!response.good());
  CHECK(response.body == R"({"message":"no space left"})");
}

TEST_CASE("a redirect is an answer, too") {
  FakeServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.write("HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 0\r\n\r\n");
  });
  auto client = client_for(server.target());
  CHECK(good(client->send(get("/x"))).status == 302);
  CHECK(good(client->send(get("/x"))).status == 302);
  CHECK(server.connections() == 1);
}

TEST_CASE("a body may be binary and long, both ways") {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes += static_cast<char>(i * 7);
  bool same = false;
  FakeServer server([&](Peer& peer) {
    const std::string request = peer.request();
    same = request.ends_with("\r\n\r\n" + bytes);
    peer.answer("200 OK", bytes);
  });
  Request request = post("/x", bytes);
  request.method = "PUT";
  request.content_type = "application/x-tar";
  CHECK(good(client_for(server.target())->send(request)).body == bytes);
  CHECK(same);
}

TEST_CASE("a body that is wanted piece by piece comes so, and only when it is good") {
  FakeServer server([](Peer& peer) {
    while (true) {
      const std::string request = peer.request();
      if (request.empty()) return;
      if (contains(request, "/missing")) {
        peer.answer("404 Not Found", R"({"message":"no such image"})");
        continue;
      }
      peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 100; ++i) peer.write("4\r\nabc\n\r\n");
      peer.write("0\r\n\r\n");
    }
  });
  auto client = client_for(server.target());
  std::string pieces;
  Request request = post("/images/create");
  request.max_body = 100;  // nothing is kept: no limit
  request.on_body = [&](std::string_view piece) {
    pieces += piece;
    return true;
  };
  const Response response = good(client->send(request));
  CHECK(response.status == 200);
  CHECK(response.body.empty());
  CHECK(pieces.size() == 400);
  request.path = "/missing";
  pieces.clear();
  CHECK(good(client->send(request)).body == R"({"message":"no such image"})");
  CHECK(pieces.empty());

  int calls = 0;
  request.path = "/images/create";
  request.on_body = [&](std::string_view) { return ++calls < 1; };
  CHECK(error_of(client->send(request)) == "the answer of the server at " + server.target().name + " was given up");
  CHECK(calls == 1);
  CHECK(good(client->send(get("/missing"))).status == 404);
}

TEST_CASE("a kept connection is used again") {
  FakeServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.answer("200 OK", std::to_string(peer.number()));
  });
  auto client = client_for(server.target());
  for (int i = 0; i < 5; ++i) CHECK(good(client->send(get("/x"))).body == "1");
  CHECK(good(client->send(post("/x"))).body == "1");
  auto other = client_for(server.target());
  CHECK(good(other->send(get("/x"))).body == "2");
}

TEST_CASE("a kept connection that the server has closed is replaced") {
  FakeServer server([](Peer& peer) {
    peer.request();
    peer.answer("200 OK", std::to_string(peer.number()));
  });
  auto client = client_for(server.target());
  CHECK(good(client->send(get("/x"))).body == "1");
  server.wait_until_closed();
  CHECK(good(client->send(post("/x"))).body == "2");
  server.wait_until_closed();
  CHECK(good(client->send(get("/x"))).body == "3");
}

TEST_CASE("what was sent over a kept connection that then ends is sent again once, unless it may act twice") {
  std::atomic<int> requests = 0;
  FakeServer server([&](Peer& peer) {
    // The second request over a connection is taken and never answered.
    if (peer.request().empty()) return;
    ++requests;
    peer.answer("200 OK", std::to_string(peer.number()));
    if (!peer.request().empty()) ++requests;
  });
  auto client = client_for(server.target());
  good(client->send(get("/x")));
  SECTION("again") {
    const std::string method = GENERATE("GET", "HEAD", "DELETE");
    Request request = get("/x");
    request.method = method;
    CHECK(good(client->send(request)).status == 200);
    CHECK(requests == 3);
    CHECK(server.connections() == 2);
  }
  SECTION("not again") {
    const std::string method = GENERATE("POST", "PUT");
    Request request = post("/x", "{}");
    request.method = method;
    CHECK(error_of(client->send(request)) ==
          "the server at " + server.target().name +
              " closed the connection without an answer; the request was not sent again");
    CHECK(requests == 2);
    CHECK(good(client->send(request)).status == 200);
    CHECK(requests == 3);
  }
}

TEST_CASE("a server that never answers is not asked for ever") {
  std::atomic<int> requests = 0;
  FakeServer server([&](Peer& peer) {
    if (peer.request().empty()) return;
    if (++requests == 1) {
      peer.answer("200 OK", "");
      peer.request();
      ++requests;
    }
  });
  auto client = client_for(server.target());
  good(client->send(get("/x")));
  CHECK(error_of(client->send(get("/x"))) ==
        "the server at " + server.target().name + " closed the connection without an answer");
  CHECK(requests == 3);
}

TEST_CASE("two clients work at the same time") {
  FakeServer server([](Peer& peer) {
    while (!peer.request().empty()) peer.answer("200 OK", std::to_string(peer.number()));
  });
  const auto many = [&](int& count) {
    const auto client = make_curl_client(server.target());
    for (int i = 0; i < 50; ++i) count += (*client)->send(get("/x")).ok() ? 1 : 0;
  };
  int one = 0;
  int two = 0;
  std::thread first([&] { many(one); });
  std::thread second([&] { many(two); });
  first.join();
  second.join();
  CHECK(one == 50);
  CHECK(two == 50);
  CHECK(server.connections() == 2);
}

TEST_CASE("a request that waits for its answer ends when another thread asks for it") {
  std::atomic<bool> asked = false;
  std::stop_source stop;
  FakeServer server([&](Peer& peer) {
    peer.request();
    asked = true;
    stop.request_stop();
    peer.wait_for_end();
  });
  Request request = post("/images/create?fromImage=x");
  request.timeout = 0ms;
  request.stop = stop.get_token();
  const base::Instant start = base::now();
  CHECK(contains(error_of(client_for(server.target())->send(request)), "was given up"));
  CHECK(asked);
  CHECK(base::now() - start < 5s);
}
