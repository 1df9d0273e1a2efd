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

// unix:///PATH, tcp://HOST[:PORT] (2375, or 2376 with TLS), http://, https:// (80, 443),
// ssh://[USER@]HOST[:PORT][/SOCKET PATH]. With `tls` for tcp and https. An error names the text, what is wrong with it
// and what is allowed; hosts and paths with odd characters (spaces, control bytes, a leading dash) are refused, so that
// nothing of it can become an option of ssh or a word of the shell at its other end. `flavor`: whose command ssh starts
// there; a socket path that says podman is Podman's too.
base::Result<Address> parse_address(std::string_view text, std::string source, const http::Tls& tls = {},
                                    Flavor flavor = Flavor::kAny);

// The engines to try, in order. `option` (--docker-host) alone when given; else DOCKER_HOST alone when set; else the
// current docker context alone, when it is not "default" (see docker_context.h); else every known socket that exists.
// Empty: there is none. For kPodman: `option`, else Podman's own CONTAINER_HOST, else a DOCKER_HOST that says podman,
// else Podman's known sockets.
// TLS for `option` and the variables: when DOCKER_TLS_VERIFY or DOCKER_CERT_PATH is set, with ca.pem, cert.pem and
// key.pem of DOCKER_CERT_PATH (DOCKER_CONFIG, ~/.docker), as far as they exist. It always verifies.
// Nothing is read relative to the current folder. Blocks for a few file operations.
base::Result<std::vector<Address>> find_addresses(const std::string& option, Flavor flavor,
                                                  const Environment& environment);

// What find_addresses looks for last, whether it exists or not: for messages.
std::vector<std::string> known_sockets(Flavor flavor, const Environment& environment);

}  // namespace bashcell::engine::docker
