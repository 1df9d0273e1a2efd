#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "engine/docker/address.h"
#include "engine/docker/docker_context.h"

namespace bashcell::engine::docker {

namespace {

namespace fs = std::filesystem;

// Clients often start servers with next to no environment.
std::string runtime_folder(const Environment& environment) {
  const std::string folder = value_of(environment, "XDG_RUNTIME_DIR");
  return folder.starts_with('/') ? folder : "/run/user/" + std::to_string(::geteuid());
}

base::Result<http::Tls> tls_of(const Environment& environment) {
  const std::string certificates = value_of(environment, "DOCKER_CERT_PATH");
  const bool wanted = !certificates.empty() || !value_of(environment, "DOCKER_TLS_VERIFY").empty();
  if (!wanted) return http::Tls{};
  if (!certificates.empty() && certificates[0] != '/') {
    return base::Error{"DOCKER_CERT_PATH is no absolute path: " + certificates};
  }
  const base::Result<std::string> folder = certificates.empty() ? docker_folder(environment) : certificates;
  if (!folder) return folder.error();
  base::Result<http::Tls> tls = folder->empty() ? base::Result<http::Tls>(http::Tls{}) : tls_files(*folder);
  if (tls) tls->enabled = true;
  return tls;
}

base::Result<std::vector<Address>> only(std::string_view text, const std::string& source, Flavor flavor,
                                        const Environment& environment) {
  // Only what travels by TCP needs certificates: a folder without them is no reason to refuse a Unix socket.
  const bool tcp = text.starts_with("tcp:") || text.starts_with("https:") || text.starts_with("http:");
  const base::Result<http::Tls> tls = tcp ? tls_of(environment) : base::Result<http::Tls>(http::Tls{});
  if (!tls) return tls.error();
  base::Result<Address> address = parse_address(text, source, *tls, flavor);
  if (!address) return address.error();
  return std::vector<Address>{std::move(*address)};
}

// Each socket once, also when it has two names (/var/run is a link to /run).
std::vector<Address> existing_sockets(Flavor flavor, const Environment& environment) {
  std::vector<Address> list;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& path : known_sockets(flavor, environment)) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode)) continue;
    if (!seen.emplace(info.st_dev, info.st_ino).second) continue;
    Address address;
    address.target.name = "unix://" + path;
    address.target.unix_socket = path;
    address.source = "its usual place";
    list.push_back(std::move(address));
  }
  return list;
}

}  // namespace

std::vector<std::string> known_sockets(Flavor flavor, const Environment& environment) {
  const std::string home = value_of(environment, "HOME");
  const std::string runtime = runtime_folder(environment);
  std::vector<std::string> list;
  if (flavor == Flavor::kAny) {
    list = {"/var/run/docker.sock"};
    std::error_code error;
    if (fs::canonical("/var/run", error) != "/run") list.emplace_back("/run/docker.sock");
    list.push_back(runtime + "/docker.sock");  // rootless Docker
    if (home.starts_with('/')) {
      for (const char* place : {"/.docker/run/docker.sock", "/.docker/desktop/docker.sock",
                                "/.colima/default/docker.sock", "/.config/colima/default/docker.sock"}) {
        list.push_back(home + place);
      }
    }
  }
  list.emplace_back("/run/podman/podman.sock");
  list.push_back(runtime + "/podman/podman.sock");
  return list;
}

base::Result<std::vector<Address>> find_addresses(const std::string& option, Flavor flavor,
                                                  const Environment& environment) {
  if (!option.empty()) return only(option, "--docker-host", flavor, environment);
  const std::string docker_host = value_of(environment, "DOCKER_HOST");
  if (flavor == Flavor::kPodman) {
    const std::string podman_host = value_of(environment, "CONTAINER_HOST");
    if (!podman_host.empty()) return only(podman_host, "CONTAINER_HOST", flavor, environment);
    if (docker_host.find("podman") == std::string::npos) return existing_sockets(flavor, environment);
  }
  if (!docker_host.empty()) return only(docker_host, "DOCKER_HOST", flavor, environment);
  const base::Result<std::string> folder = docker_folder(environment);
  if (!folder) return folder.error();
  const base::Result<std::string> context = current_context(*folder, environment);
  if (!context) return context.error();
  if (context->empty()) return existing_sockets(flavor, environment);
  base::Result<Address> address = context_address(*folder, *context);
  if (!address) return address.error();
  return std::vector<Address>{std::move(*address)};
}

}  // namespace bashcell::engine::docker
