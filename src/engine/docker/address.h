#pragma once
// Where a Docker or Podman engine may be: as users write it (DOCKER_HOST), as contexts store it, and where engines put
// their sockets by default.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/client.h"

namespace bashcell::engine::docker {

enum class Flavor { kAny, kPodman };  // kPodman: only sockets that are Podman's by their place

struct Address {
  http::Target target;
  std::string source;  // "--docker-host", "DOCKER_HOST", "the docker context remote", "its usual place"
  bool ssh = false;
};

using Environment = std::map<std::string, std::string>;

// unix:///PATH, tcp://HOST[:PORT] (2375, or 2376 with TLS), http://, https://, ssh://[USER@]HOST[:PORT][/SOCKET PATH].
// With `tls` for tcp and https. An error names the text, what is wrong with it and what is allowed; hosts and paths
// with odd characters (spaces, control bytes, a leading dash) are refused, so that nothing of it can become an option
// of ssh.
base::Result<Address> parse_address(std::string_view text, std::string source, const http::Tls& tls = {});

// The engines to try, in order. `option` (--docker-host) alone when given; else DOCKER_HOST alone when set (with
// DOCKER_TLS_VERIFY and DOCKER_CERT_PATH); else the current docker context alone, when it is not "default"
// (DOCKER_CONTEXT, else currentContext in ~/.docker/config.json (DOCKER_CONFIG); its endpoint and TLS files are in
// contexts/meta and contexts/tls under the SHA-256 of its name); else every known socket that exists. Empty: there is
// none. Blocks for a few file operations.
base::Result<std::vector<Address>> find_addresses(const std::string& option, Flavor flavor,
                                                  const Environment& environment);

// What find_addresses looks for last, whether it exists or not: for messages.
std::vector<std::string> known_sockets(Flavor flavor, const Environment& environment);

}  // namespace bashcell::engine::docker
