#include "engine/docker/address.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using namespace bashcell::engine::docker;

namespace {

using Words = std::vector<std::string>;

Address good(std::string_view text, const http::Tls& tls = {}, Flavor flavor = Flavor::kAny) {
  base::Result<Address> address = parse_address(text, "a test", tls, flavor);
  if (!address) FAIL(address.error().message);
  return std::move(*address);
}

std::string reason(std::string_view text, const http::Tls& tls = {}) {
  const base::Result<Address> address = parse_address(text, "a test", tls);
  return address ? "accepted" : address.error().message;
}

// The words of ssh that are the same for every address.
Words ssh(const Words& rest) {
  Words all = {"ssh",
               "-o",
               "BatchMode=yes",
               "-o",
               "ConnectTimeout=10",
               "-o",
               "ServerAliveInterval=15",
               "-o",
               "ClearAllForwardings=yes",
               "-T"};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

TEST_CASE("a unix address is a path, and nothing else") {
  const Address address = good("unix:///run/user/1000/docker.sock");
  CHECK(address.target.unix_socket == "/run/user/1000/docker.sock");
  CHECK(address.target.name == "unix:///run/user/1000/docker.sock");
  CHECK(address.source == "a test");
  CHECK(address.target.host.empty());
  CHECK(address.target.command.empty());
  CHECK_FALSE(address.target.tls.enabled);
  CHECK_FALSE(address.ssh);
  CHECK(good("unix:///home/j\xC3\xBCrgen/docker.sock").target.unix_socket == "/home/j\xC3\xBCrgen/docker.sock");
}

TEST_CASE("tcp, http and https have a host, a port and TLS where it belongs") {
  struct Row {
    std::string text;
    bool with_tls;
    std::string host;
    int port;
    bool tls;
  };
  const std::vector<Row> rows = {
      {"tcp://10.0.0.2", false, "10.0.0.2", 2375, false},
      {"tcp://10.0.0.2/", false, "10.0.0.2", 2375, false},
      {"tcp://10.0.0.2", true, "10.0.0.2", 2376, true},
      {"tcp://build-1.example.com:2377", true, "build-1.example.com", 2377, true},
      {"tcp://[::1]:2375", false, "::1", 2375, false},
      {"tcp://[fe80::1%eth0]", false, "fe80::1%eth0", 2375, false},
      {"tcp://localhost:65535", false, "localhost", 65535, false},
      {"http://docker_host:80", false, "docker_host", 80, false},
      {"http://h", false, "h", 80, false},
      {"https://h", false, "h", 443, true},
      {"https://h:1", true, "h", 1, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    http::Tls tls;
    tls.enabled = row.with_tls;
    tls.ca = row.with_tls ? "/ca.pem" : "";
    const Address address = good(row.text, tls);
    CHECK(address.target.host == row.host);
    CHECK(address.target.port == row.port);
    CHECK(address.target.tls.enabled == row.tls);
    CHECK(address.target.tls.verify);
    CHECK(address.target.tls.ca == tls.ca);
    CHECK(address.target.unix_socket.empty());
    CHECK(address.target.name == row.text);
  }
}

TEST_CASE("an ssh address becomes a command that never asks") {
  struct Row {
    std::string text;
    Flavor flavor;
    Words rest;
  };
  const std::vector<Row> rows = {
      {"ssh://host", Flavor::kAny, {"--", "host", "docker", "system", "dial-stdio"}},
      {"ssh://host/", Flavor::kAny, {"--", "host", "docker", "system", "dial-stdio"}},
      {"ssh://me@host:2222", Flavor::kAny, {"-l", "me", "-p", "2222", "--", "host", "docker", "system", "dial-stdio"}},
      {"ssh://me@site@host", Flavor::kAny, {"-l", "me@site", "--", "host", "docker", "system", "dial-stdio"}},
      {"ssh://[2001:db8::1]:22", Flavor::kAny, {"-p", "22", "--", "2001:db8::1", "docker", "system", "dial-stdio"}},
      {"ssh://host/run/user/1000/docker.sock",
       Flavor::kAny,
       {"--", "host", "docker", "--host=unix:///run/user/1000/docker.sock", "system", "dial-stdio"}},
      {"ssh://host", Flavor::kPodman, {"--", "host", "podman", "--remote", "system", "dial-stdio"}},
      {"ssh://host/run/podman/podman.sock",
       Flavor::kAny,
       {"--", "host", "podman", "--remote", "--url=unix:///run/podman/podman.sock", "system", "dial-stdio"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const Address address = good(row.text, {}, row.flavor);
    CHECK(address.target.command == ssh(row.rest));
    CHECK(address.ssh);
    CHECK(address.target.host.empty());
    CHECK(address.target.unix_socket.empty());
  }
}

TEST_CASE("what is no address is refused, with the reason and what is allowed") {
  http::Tls tls;
  tls.enabled = true;
  const std::string forms =
      "; use unix:///PATH, tcp://HOST[:PORT], http://HOST[:PORT], https://HOST[:PORT] or "
      "ssh://[USER@]HOST[:PORT][/SOCKET]";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "it has no scheme that is known here"},
      {"/run/docker.sock", "it has no scheme that is known here"},
      {"fd://", "it has no scheme that is known here"},
      {"npipe:////./pipe/docker_engine", "it has no scheme that is known here"},
      {"unix://", "its path is not absolute"},
      {"unix://docker.sock", "its path is not absolute"},
      {"unix:///", "its path has odd characters"},
      {"unix:///a b", "its path has odd characters"},
      {"tcp://", "it names no host"},
      {"tcp://:2375", "it names no host"},
      {"tcp://-h", "its host has odd characters"},
      {"tcp://a b", "its host has odd characters"},
      {"tcp://user@h", "its host has odd characters"},
      {"tcp://h?x", "its host has odd characters"},
      {"tcp://h#x", "its host has odd characters"},
      {"tcp://h/path", "a path is not supported"},
      {"tcp://h:", "its port is no number from 1 to 65535"},
      {"tcp://h:0", "its port is no number from 1 to 65535"},
      {"tcp://h:65536", "its port is no number from 1 to 65535"},
      {"tcp://h:99999999999", "its port is no number from 1 to 65535"},
      {"tcp://h:+1", "its port is no number from 1 to 65535"},
      {"tcp://h:80x", "its port is no number from 1 to 65535"},
      {"tcp://[::1", "its address has no closing ]"},
      {"tcp://[h]", "what is in [ ] is no IPv6 address"},
      {"tcp://[::1]x", "its port is no number from 1 to 65535"},
      {"tcp://" + std::string(254, 'a'), "its host is too long"},
      {"ssh://", "it names no host"},
      {"ssh://-oProxyCommand=x", "its host has odd characters"},
      {"ssh://me@-oProxyCommand=x", "its host has odd characters"},
      {"ssh://h;id", "its host has odd characters"},
      {"ssh://$(id)", "its host has odd characters"},
      {"ssh://@h", "its user name is empty or has odd characters"},
      {"ssh://-l@h", "its user name is empty or has odd characters"},
      {"ssh://a b@h", "its user name is empty or has odd characters"},
      {"ssh://me:secret@h", "a password in it is not supported (use a key)"},
      {"ssh://h/run/$(id)", "its socket path has odd characters"},
      {"ssh://h/run/a b", "its socket path has odd characters"},
      {"ssh://h/run/x;id", "its socket path has odd characters"},
      {"ssh://h/run/x?y", "its socket path has odd characters"},
      {"ssh://h:x", "its port is no number from 1 to 65535"},
  };
  for (const auto& [text, why] : rows) {
    const std::string shown = text.size() > 200 ? text.substr(0, 200) + "..." : text;
    CHECK(reason(text) == "\"" + shown + "\" from a test is no address of an engine: " + why + forms);
  }
  CHECK(reason("http://h", tls).find("TLS is wanted") != std::string::npos);
  CHECK(reason("unix:///a\nb\xff").find("\"unix:///a?b\xEF\xBF\xBD\" from a test") == 0);
  CHECK(reason(std::string("ssh://h\0x", 9)).find("its host has odd characters") != std::string::npos);
}
