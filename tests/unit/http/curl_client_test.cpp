#include "http/curl_client.h"

#include <catch2/catch.hpp>

#include "fake_server.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

namespace {

std::unique_ptr<Client> client_for(const Target& target) {
  base::Result<std::unique_ptr<Client>> client = make_curl_client(target);
  if (!client) FAIL(client.error().message);
  return std::move(*client);
}

Request get(const std::string& path) {
  Request request;
  request.path = path;
  return request;
}

Request post(const std::string& path, const std::string& body) {
  Request request;
  request.method = "POST";
  request.path = path;
  request.body = body;
  return request;
}

std::string error_of(const base::Result<Response>& result) {
  if (result) FAIL("expected an error, got status " << result->status << ": " << result->body);
  return result.error().message;
}

Response good(base::Result<Response> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

bool begins(const std::string& text, const std::string& start) { return text.starts_with(start); }
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

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
  CHECK(begins(seen, "POST /v1.40/containers/create?name=a%20b HTTP/1.1\r\n"));
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
    CHECK(begins(seen, request.method + " /x HTTP/1.1\r\n"));
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

TEST_CASE("nobody there, in words") {
  TemporaryFolder folder;
  Target target;
  target.unix_socket = (folder.path() / "absent.sock").string();
  target.name = "unix://" + target.unix_socket;
  auto client = client_for(target);
  CHECK(error_of(client->send(get("/x"))) ==
        "there is no socket at " + target.name + ": is the engine installed and running?");
}
