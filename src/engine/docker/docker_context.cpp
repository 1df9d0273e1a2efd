#include "engine/docker/docker_context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_shape.h"
#include "engine/docker/json_member.h"

namespace bashcell::engine::docker {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

base::Result<Json> read_object(const std::string& path) {
  constexpr size_t kMaxDepth = 64;
  const base::Result<std::string> text = base::read_file(path);
  if (!text) return text.error();
  if (base::json_shape(*text).depth <= kMaxDepth) {
    Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (json.is_object()) return json;
  }
  return base::Error{path + " holds no JSON object"};
}

// The folder's own name of the context, and what its meta.json says.
struct Found {
  std::string id;
  Json meta;
};

// Contexts that cannot be read are not the one; when none is, the first such is the error.
base::Result<Found> find_context(const std::string& folder, const std::string& name) {
  const std::string metas = folder + "/contexts/meta";
  std::string trouble = "it is not in " + metas;
  std::error_code error;
  bool read_all = true;
  for (fs::directory_iterator entry(metas, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string() + "/meta.json";
    if (!exists(path)) continue;
    base::Result<Json> meta = read_object(path);
    if (meta && text_member(*meta, "Name") == name) return Found{entry->path().filename().string(), std::move(*meta)};
    if (!meta && read_all) {
      trouble = meta.error().message;
      read_all = false;
    }
  }
  return base::Error{trouble};
}

}  // namespace

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

base::Result<std::string> docker_folder(const Environment& environment) {
  std::string folder = value_of(environment, "DOCKER_CONFIG");
  if (folder.empty()) {
    const std::string home = value_of(environment, "HOME");
    if (home.empty()) return std::string();
    folder = home + "/.docker";
  }
  if (folder[0] != '/') return base::Error{fmt::format("the docker folder \"{}\" is no absolute path", folder)};
  return folder;
}

base::Result<std::string> current_context(const std::string& folder, const Environment& environment) {
  std::string name = value_of(environment, "DOCKER_CONTEXT");
  const std::string path = folder + "/config.json";
  if (name.empty() && !folder.empty() && exists(path)) {
    const base::Result<Json> config = read_object(path);
    if (!config) return base::Error{"cannot tell the current docker context: " + config.error().message};
    name = text_member(*config, "currentContext");
  }
  return name == "default" ? std::string() : name;
}

base::Result<Address> context_address(const std::string& folder, const std::string& name) {
  const auto failed = [&](const std::string& why) {
    return base::Error{fmt::format("cannot use the docker context {}: {}",
                                   Json(name).dump(-1, ' ', true, Json::error_handler_t::replace), why)};
  };
  if (folder.empty()) return failed("there is no home folder to find it in");
  const base::Result<Found> found = find_context(folder, name);
  if (!found) return failed(found.error().message);
  const Json& endpoint = member(member(found->meta, "Endpoints"), "docker");
  const std::string host = text_member(endpoint, "Host");
  if (host.empty()) return failed(fmt::format("{}/contexts/meta/{}/meta.json names no docker host", folder, found->id));
  base::Result<http::Tls> tls = tls_files(fmt::format("{}/contexts/tls/{}/docker", folder, found->id));
  if (!tls) return failed(tls.error().message);
  const Json& skip = member(endpoint, "SkipTLSVerify");
  tls->verify = !(skip.is_boolean() && skip.get<bool>());
  tls->enabled = !tls->verify || !tls->ca.empty() || !tls->certificate.empty();
  base::Result<Address> address = parse_address(host, "the docker context " + name, *tls);
  if (!address) return failed(address.error().message);
  return address;
}

base::Result<http::Tls> tls_files(const std::string& folder) {
  http::Tls tls;
  const auto existing = [&](const char* file) {
    std::string path = folder + "/" + file;
    return exists(path) ? path : std::string();
  };
  tls.ca = existing("ca.pem");
  tls.certificate = existing("cert.pem");
  tls.key = existing("key.pem");
  if (tls.certificate.empty() != tls.key.empty()) {
    return base::Error{fmt::format("{} has only one of cert.pem and key.pem", folder)};
  }
  return tls;
}

}  // namespace bashcell::engine::docker
