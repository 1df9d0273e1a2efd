#include "engine/docker/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/utf8.h"

namespace bashcell::engine::docker {

namespace {

constexpr std::string_view kForms =
    "use unix:///PATH, tcp://HOST[:PORT], http://HOST[:PORT], https://HOST[:PORT] or ssh://[USER@]HOST[:PORT][/SOCKET]";

bool is_word_char(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Letters, digits and `extra`; never a leading dash, which would make it an option.
bool consists_of(std::string_view text, std::string_view extra) {
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_word_char(c) || extra.find(c) != std::string_view::npos;
  });
}

// An absolute path that a shell takes as one plain word.
bool plain_path(std::string_view path) { return path.starts_with('/') && consists_of(path, "/._-+@:,"); }

// A local path is never seen by a shell: all but blanks and control bytes, and whole characters.
bool local_path(std::string_view path) {
  return path.size() > 1 && path[0] == '/' && base::is_valid_utf8(path) &&
         std::all_of(path.begin(), path.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

// HOST, HOST:PORT, [V6], [V6]:PORT.
struct Authority {
  std::string host;
  std::optional<int> port;
};

std::optional<int> port_of(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65'535) return std::nullopt;
  return port;
}

// An error is what is wrong, to go behind the text.
base::Result<Authority> parse_authority(std::string_view text) {
  constexpr size_t kMaxHost = 253;
  Authority authority;
  std::string_view rest;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return base::Error{"its address has no closing ]"};
    authority.host = text.substr(1, close - 1);
    if (!consists_of(authority.host, ":.%") || authority.host.find(':') == std::string::npos) {
      return base::Error{"what is in [ ] is no IPv6 address"};
    }
    rest = text.substr(close + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    authority.host = text.substr(0, colon);
    if (authority.host.empty()) return base::Error{"it names no host"};
    if (!consists_of(authority.host, "._-")) return base::Error{"its host has odd characters"};
    rest = text.substr(colon);
  }
  if (authority.host.size() > kMaxHost) return base::Error{"its host is too long"};
  if (rest.empty()) return authority;
  if (rest[0] == ':') authority.port = port_of(rest.substr(1));
  if (!authority.port) return base::Error{"its port is no number from 1 to 65535"};
  return authority;
}

base::Result<void> parse_unix(std::string_view rest, Address& address) {
  if (!rest.starts_with('/')) return base::Error{"its path is not absolute"};
  if (!local_path(rest)) return base::Error{"its path has odd characters"};
  address.target.unix_socket = rest;
  return {};
}

base::Result<void> parse_tcp(std::string_view scheme, std::string_view rest, const http::Tls& tls, Address& address) {
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != std::string_view::npos) return base::Error{"a path is not supported"};
  base::Result<Authority> authority = parse_authority(rest);
  if (!authority) return authority.error();
  if (scheme == "http" && tls.enabled) return base::Error{"TLS is wanted (DOCKER_TLS_VERIFY), which http:// has not"};
  address.target.tls = tls;
  if (scheme == "https") address.target.tls.enabled = true;
  const int usual = scheme == "http" ? 80 : scheme == "https" ? 443 : tls.enabled ? 2376 : 2375;
  address.target.host = std::move(authority->host);
  address.target.port = authority->port.value_or(usual);
  return {};
}

// What runs at the other end: it connects its stdin and stdout with the engine's socket there, as the docker and podman
// programs have it done by themselves.
std::vector<std::string> remote_command(std::string_view socket, Flavor flavor) {
  std::vector<std::string> words;
  if (flavor == Flavor::kPodman || socket.find("podman") != std::string_view::npos) {
    words = {"podman", "--remote"};
    if (!socket.empty()) words.push_back(fmt::format("--url=unix://{}", socket));
  } else {
    words = {"docker"};
    if (!socket.empty()) words.push_back(fmt::format("--host=unix://{}", socket));
  }
  words.insert(words.end(), {"system", "dial-stdio"});
  return words;
}

base::Result<void> parse_ssh(std::string_view rest, Flavor flavor, Address& address) {
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view socket = rest.substr(slash);
  rest = rest.substr(0, slash);
  if (socket.find_first_not_of('/') == std::string_view::npos) socket = {};
  if (!socket.empty() && !plain_path(socket)) return base::Error{"its socket path has odd characters"};
  std::string user;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    user = rest.substr(0, at);
    if (user.find(':') != std::string::npos) return base::Error{"a password in it is not supported (use a key)"};
    if (!consists_of(user, "._-+@")) return base::Error{"its user name is empty or has odd characters"};
    rest.remove_prefix(at + 1);
  }
  const base::Result<Authority> authority = parse_authority(rest);
  if (!authority) return authority.error();
  // It never asks (there is nobody to answer), notices a dead line, and makes none of the forwardings of its own
  // configuration, which would be in each other's way.
  std::vector<std::string>& argv = address.target.command;
  argv = {"ssh",
          "-o",
          "BatchMode=yes",
          "-o",
          "ConnectTimeout=10",
          "-o",
          "ServerAliveInterval=15",
          "-o",
          "ClearAllForwardings=yes",
          "-T"};
  if (!user.empty()) argv.insert(argv.end(), {"-l", user});
  if (authority->port) argv.insert(argv.end(), {"-p", std::to_string(*authority->port)});
  argv.insert(argv.end(), {"--", authority->host});
  for (std::string& word : remote_command(socket, flavor)) argv.push_back(std::move(word));
  address.ssh = true;
  return {};
}

// What a message can show of a text that may be anything.
std::string quoted(std::string_view text) {
  return fmt::format("\"{}{}\"", base::printable(text.substr(0, 200), '?'), text.size() > 200 ? "..." : "");
}

}  // namespace

base::Result<Address> parse_address(std::string_view text, std::string source, const http::Tls& tls, Flavor flavor) {
  Address address;
  address.target.name = text;
  address.source = std::move(source);
  const size_t colon = text.find("://");
  const std::string_view scheme = text.substr(0, std::min(colon, text.size()));
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 3);
  base::Result<void> parsed = base::Error{"it has no scheme that is known here"};
  if (colon != std::string_view::npos) {
    if (scheme == "unix") parsed = parse_unix(rest, address);
    if (scheme == "tcp" || scheme == "http" || scheme == "https") parsed = parse_tcp(scheme, rest, tls, address);
    if (scheme == "ssh") parsed = parse_ssh(rest, flavor, address);
  }
  if (parsed) return address;
  return base::Error{fmt::format("{} from {} is no address of an engine: {}; {}", quoted(text), address.source,
                                 parsed.error().message, kForms)};
}

}  // namespace bashcell::engine::docker
