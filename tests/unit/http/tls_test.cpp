#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/process.h"
#include "exchange.h"
#include "requests.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::http;
using namespace std::chrono_literals;

namespace {

// What certificates.sh made, for all tests of this program.
class Certificates {
 public:
  Certificates() {
    base::SpawnOptions options;
    options.argv = {"/bin/sh", BASHCELL_TEST_FOLDER "/certificates.sh", folder_.path().string()};
    options.environment = {"PATH=/usr/bin:/bin"};
    const base::Captured made = base::run_captured(std::move(options), 60s).value();
    INFO(made.output);
    REQUIRE(made.status.code == 0);
  }
  std::string operator[](const std::string& name) const { return (folder_.path() / (name + ".pem")).string(); }

 private:
  TemporaryFolder folder_;
};

const Certificates& certificates() {
  static const Certificates made;
  return made;
}

class TlsServer {
 public:
  // The name of its certificate ("": no TLS) and of the authority whose clients it lets in ("": everybody).
  explicit TlsServer(const std::string& certificate, const std::string& clients = "") {
    const Certificates& made = certificates();
    base::Pipe in = std::move(base::make_pipe()).value();
    base::Pipe out = std::move(base::make_pipe()).value();
    base::SpawnOptions options;
    options.argv = {BASHCELL_TEST_PYTHON, "-I", "-S", BASHCELL_TEST_FOLDER "/tls_server.py"};
    options.argv.push_back(certificate.empty() ? "-" : made[certificate]);
    options.argv.push_back(certificate.empty() ? "-" : made[certificate + "-key"]);
    if (!clients.empty()) options.argv.push_back(made[clients]);
    options.descriptors = {{0, in.read.get()}, {1, out.write.get()}};
    options.environment = {"PATH=/usr/bin:/bin"};
    child_ = base::spawn(options).value();
    input_ = std::move(in.write);
    out.write.reset();
    std::string line;
    char c = 0;
    while (::read(out.read.get(), &c, 1) == 1 && c != '\n') line += c;
    REQUIRE_FALSE(line.empty());
    port_ = std::stoi(line);
  }
  ~TlsServer() {
    input_.reset();
    if (!child_.wait(10s)) child_.kill(SIGKILL);
    child_.wait(10s);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  // As somebody would reach it who trusts the authority `ca` and is the client `client` ("": nobody).
  Target target(const std::string& host, const std::string& ca, const std::string& client = "") const {
    Target target;
    target.host = host;
    target.port = port_;
    target.name = "tcp://" + host + ":" + std::to_string(port_);
    target.tls.enabled = true;
    if (!ca.empty()) target.tls.ca = certificates()[ca];
    if (!client.empty()) target.tls.certificate = certificates()[client];
    if (!client.empty()) target.tls.key = certificates()[client + "-key"];
    return target;
  }

 private:
  base::Child child_;
  base::UniqueFd input_;
  int port_ = 0;
};

// The same for both ways to use a server, without its port.
std::string said_to(const Target& target) {
  auto client = client_for(target);
  std::string message = error_of(client->send(get("/x")));
  CHECK(error_of(client->upgrade(post("/x"))) == message);
  const std::string port = ":" + std::to_string(target.port);
  const size_t at = message.find(port);
  if (at != std::string::npos) message.replace(at, port.size(), "");
  return message;
}

}  // namespace

TEST_CASE("a server with TLS is reached by its name and its address") {
  const TlsServer server("server");
  for (const char* host : {"localhost", "127.0.0.1"}) {
    auto client = client_for(server.target(host, "good-ca"));
    CHECK(good(client->send(get("/x"))).body == "tls");
    CHECK(good(client->send(get("/x"))).body == "tls");
  }
}

TEST_CASE("a server that knows its clients lets the right one in") {
  const TlsServer server("server", "good-ca");
  auto client = client_for(server.target("localhost", "good-ca", "client"));
  CHECK(good(client->send(get("/x"))).body == "tls");
  const auto connection = connected(client->upgrade(post("/x")));
  CHECK(echoed(*connection, "one\n") == "one\n");
  const std::string much = pattern(1'000'000);
  CHECK(echoed(*connection, much) == much);
}

TEST_CASE("a client without a certificate, or with a stranger's, is told so") {
  const TlsServer server("server", "good-ca");
  // The server's reason may get lost behind its end of the connection: then the likely one is named.
  for (const char* client_name : {"", "stranger"}) {
    const Target target = server.target("localhost", "good-ca", client_name);
    auto client = client_for(target);
    const base::Result<Response> sent = client->send(get("/x"));
    const base::Result<std::unique_ptr<Connection>> upgraded = client->upgrade(post("/x"));
    REQUIRE_FALSE(sent.ok());
    REQUIRE_FALSE(upgraded.ok());
    const std::string what = target.tls.certificate.empty()
                                 ? "client certificate: give cert.pem and key.pem (DOCKER_CERT_PATH)"
                                 : "accept the client certificate " + target.tls.certificate;
    for (const std::string& message : {sent.error().message, upgraded.error().message}) {
      CAPTURE(message);
      CHECK(message.starts_with("the server at " + target.name));
      CHECK(contains(message, what));
    }
  }
}

TEST_CASE("a certificate for another name is refused, with both names") {
  const TlsServer server("elsewhere");
  CHECK(said_to(server.target("localhost", "good-ca")) ==
        "the certificate of the server at tcp://localhost is not for localhost but for DNS:elsewhere.example, IP "
        "Address:10.9.8.7: use a name that is in it");
  CHECK(said_to(server.target("127.0.0.1", "good-ca")) ==
        "the certificate of the server at tcp://127.0.0.1 is not for 127.0.0.1 but for DNS:elsewhere.example, IP "
        "Address:10.9.8.7: use a name that is in it");
}

TEST_CASE("a certificate of an unknown authority is refused, unless nobody is to look") {
  const TlsServer server("server");
  const std::string other = said_to(server.target("localhost", "other-ca"));
  CHECK(other.starts_with("the certificate of the server at tcp://localhost is not to be trusted ("));
  CHECK(other.ends_with("): " + certificates()["other-ca"] + " did not sign it"));
  const std::string system = said_to(server.target("localhost", ""));
  CHECK(system.starts_with("the certificate of the server at tcp://localhost is not to be trusted ("));
  CHECK(system.ends_with("): give the authority that signed it (ca.pem)"));
  Target careless = server.target("localhost", "");
  careless.tls.verify = false;
  CHECK(good(client_for(careless)->send(get("/x"))).body == "tls");
}

TEST_CASE("a certificate that has expired is said to have") {
  const TlsServer server("expired");
  CHECK(said_to(server.target("localhost", "good-ca")) ==
        "the certificate of the server at tcp://localhost has expired: renew it there, unless a clock is wrong");
}

TEST_CASE("a server without TLS is told from one with it") {
  const TlsServer server("");
  CHECK(said_to(server.target("localhost", "good-ca")) ==
        "the server at tcp://localhost does not speak TLS: is it meant to be reached without?");
  Target plain = server.target("localhost", "");
  plain.tls.enabled = false;
  CHECK(good(client_for(plain)->send(get("/x"))).body == "tls");
}

TEST_CASE("files that hold no certificate are named") {
  const TlsServer server("server");
  Target target = server.target("localhost", "good-ca", "client");
  target.tls.key = certificates()["good-ca"];
  CHECK(contains(said_to(target), "the TLS files for tcp://localhost are not usable: "));
}

TEST_CASE("proxies of the environment are not for engines") {
  const TlsServer server("server");
  for (const char* name : {"https_proxy", "http_proxy", "all_proxy"}) ::setenv(name, "http://127.0.0.1:1", 1);
  CHECK(good(client_for(server.target("localhost", "good-ca"))->send(get("/x"))).body == "tls");
  for (const char* name : {"https_proxy", "http_proxy", "all_proxy"}) ::unsetenv(name);
}
