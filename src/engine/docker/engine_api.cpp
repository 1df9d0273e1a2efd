#include "engine/docker/engine_api.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex>

#include "base/json_shape.h"
#include "base/utf8.h"
#include "engine/docker/json_member.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

constexpr int kOldestMinor = 40;  // Docker 19.03: what is used here came with it at the latest
constexpr int kNewestMinor = 47;  // Docker 27; an engine speaks all versions down to its oldest
constexpr base::Duration kStartLimit{20'000};
constexpr size_t kMaxShown = 300;
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxElements = 500'000;

// The texts in an array; none when it is no array.
std::vector<std::string> texts_of(const json& array) {
  std::vector<std::string> texts;
  if (!array.is_array()) return texts;
  for (const json& entry : array) {
    if (entry.is_string()) texts.push_back(entry);
  }
  return texts;
}

// One line without control bytes, short enough for a message.
std::string shown(std::string_view text) { return std::string(base::utf8_prefix(base::printable(text), kMaxShown)); }

// "1.41" -> 41. Versions of the Engine API have had the major number 1 since 2013.
std::optional<int> minor_of(const std::string& version) {
  int minor = 0;
  if (version.rfind("1.", 0) != 0) return std::nullopt;
  const auto [end, error] = std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  if (error != std::errc() || end != version.data() + version.size()) return std::nullopt;
  return minor;
}

// Behind an error of a way through ssh: what a person can try, who sees all that ssh says.
std::string way_by_hand(const Address& address) {
  const std::vector<std::string>& argv = address.target.command;
  std::string line = "ssh";
  const auto begin = std::find(argv.begin(), argv.end(), "-T");
  for (auto word = begin; word != argv.end() && *word != "system"; ++word) {
    if (*word != "-T" && *word != "--") line += " " + *word;
  }
  return fmt::format("; this has to work by itself, and print nothing else: {} version", line);
}

Answer answer_of(http::Response response) {
  Answer answer;
  answer.status = response.status;
  const base::JsonShape shape = base::json_shape(response.body);
  if (shape.depth <= kMaxDepth && shape.elements <= kMaxElements)
    answer.body = json::parse(response.body, nullptr, false);
  if (answer.body.is_discarded()) answer.body = nullptr;
  if (!response.good()) {
    answer.message = shown(text_member(answer.body, "message"));
    if (answer.message.empty()) answer.message = shown(response.body);
    if (answer.message.empty()) answer.message = fmt::format("HTTP status {}", response.status);
  }
  return answer;
}

}  // namespace

EngineApi::EngineApi(Address address, std::unique_ptr<http::Client> client)
    : address_(std::move(address)), client_(std::move(client)) {}

base::Result<std::unique_ptr<EngineApi>> EngineApi::connect(const http::ClientMaker& make_client, Address address,
                                                            base::Duration limit) {
  base::Result<std::unique_ptr<http::Client>> client = make_client(address.target);
  if (!client) return client.error();
  std::unique_ptr<EngineApi> api(new EngineApi(std::move(address), std::move(*client)));
  const base::Result<void> agreed = api->negotiate(limit);
  if (agreed) return api;
  std::string message = agreed.error().message;
  if (!api->address_.ssh || !api->facts_.product.empty()) return base::Error{std::move(message)};
  if (message.ends_with('.')) message.pop_back();
  return base::Error{message + way_by_hand(api->address_)};
}

std::string EngineApi::name() const {
  return fmt::format("the {} engine at {}", facts_.product.empty() ? "Docker" : facts_.product, address_.target.name);
}

base::Error EngineApi::refusal(const std::string& what, const Answer& answer) const {
  return base::Error{fmt::format("{} {}: {}", name(), what, answer.message)};
}

// By /_ping: /version starts programs to ask them for theirs, which takes Podman a second.
base::Result<void> EngineApi::negotiate(base::Duration limit) {
  const base::Instant deadline = base::now() + limit;
  base::Result<http::Response> response = client_->send({.path = "/_ping", .timeout = limit});
  if (!response) return response.error();
  const std::string newest = response->header("Api-Version");
  const std::optional<int> minor = minor_of(newest);
  if (!response->good() && (minor || response->status >= 500)) return refusal("is not ready", answer_of(*response));
  if (!minor && response->body.find("HTTP request to an HTTPS server") != std::string::npos) {
    return base::Error{
        fmt::format("the server at {} wants TLS: set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder with "
                    "ca.pem, cert.pem and key.pem",
                    address_.target.name)};
  }
  if (!minor) {
    return base::Error{fmt::format("what answers at {} is no Docker engine (status {}, no Api-Version)",
                                   address_.target.name, response->status)};
  }
  const std::string server = response->header("Server");  // "Docker/20.10.24 (linux)", "Libpod/4.3.1 (linux)"
  facts_.podman = !response->header("Libpod-Api-Version").empty();
  facts_.product = facts_.podman ? "Podman" : "Docker";
  facts_.version = shown(server.substr(server.find('/') + 1, server.find(' ') - server.find('/') - 1));
  if (*minor < kOldestMinor) {
    return base::Error{fmt::format("{} is too old: version {} speaks API {}, and 1.{} (Docker 19.03) is needed", name(),
                                   facts_.version, newest, kOldestMinor)};
  }
  facts_.api = fmt::format("1.{}", std::min(*minor, kNewestMinor));
  // Of an engine elsewhere only /info tells.
  struct stat socket {};
  const std::string& path = address_.target.unix_socket;
  facts_.rootless = !path.empty() && ::stat(path.c_str(), &socket) == 0 && socket.st_uid != 0;
  return path.empty() ? describe(std::max(base::until(deadline), base::Duration{1})) : base::Result<void>();
}

base::Result<void> EngineApi::describe(base::Duration limit) {
  base::Result<Answer> info = request({.path = "/info", .timeout = limit});
  if (!info) return info.error();
  if (!info->good()) return refusal("does not describe itself", *info);
  const json& body = info->body;
  if (const std::string system = text_member(body, "OperatingSystem"); !system.empty()) facts_.system = shown(system);
  facts_.cgroup_version = text_member(body, "CgroupVersion") == "2" ? 2 : 1;
  facts_.seccomp = false;
  for (const std::string& option : texts_of(member(body, "SecurityOptions"))) {
    facts_.rootless = facts_.rootless || option.find("name=rootless") != std::string::npos;
    facts_.seccomp = facts_.seccomp || option.find("name=seccomp") != std::string::npos;
  }
  return {};
}

base::Result<Answer> EngineApi::request(http::Request request) {
  request.path = path(request.path);
  base::Result<http::Response> response = client_->send(request);
  if (!response) return response.error();
  return answer_of(std::move(*response));
}

base::Result<Answer> EngineApi::request(const std::string& method, const std::string& below, const json& body) {
  return request({.method = method,
                  .path = below,
                  .body = body.is_null() ? "" : body.dump(-1, ' ', false, json::error_handler_t::replace)});
}

base::Result<std::optional<ImageFacts>> EngineApi::find_image(const std::string& reference) {
  const base::Result<Answer> answer = request("GET", "/images/" + url_encoded(reference) + "/json");
  if (!answer) return answer.error();
  if (answer->status == 404) return std::optional<ImageFacts>();
  if (!answer->good() || !answer->body.is_object()) return refusal("cannot look at the image " + reference, *answer);
  ImageFacts facts;
  facts.architecture = text_member(answer->body, "Architecture");
  facts.os = text_member(answer->body, "Os");
  facts.environment = texts_of(member(member(answer->body, "Config"), "Env"));
  return std::optional(std::move(facts));
}

base::Result<Answer> EngineApi::create_container(const std::string& name, const json& config) {
  return request("POST", "/containers/create?name=" + url_encoded(name), config);
}

base::Result<std::unique_ptr<http::Connection>> EngineApi::attach(const std::string& id) {
  return client_->upgrade(
      {.method = "POST",
       .path = path("/containers/" + url_encoded(id) + "/attach?stream=1&stdin=1&stdout=1&stderr=1"),
       .body = "",
       .content_type = ""});
}

base::Result<void> EngineApi::start_container(const std::string& id) {
  const base::Result<Answer> answer = request(
      {.method = "POST", .path = "/containers/" + url_encoded(id) + "/start", .body = "", .timeout = kStartLimit});
  if (!answer) return answer.error();
  if (!answer->good()) return refusal("cannot start the cell", *answer);
  return {};
}

base::Result<void> EngineApi::remove_container(const std::string& id, base::Duration limit) {
  const base::Result<Answer> answer = request({.method = "DELETE",
                                               .path = "/containers/" + url_encoded(id) + "?force=true&v=true",
                                               .body = "",
                                               .timeout = limit});
  if (!answer) return answer.error();
  if (!answer->good() && answer->status != 404 && answer->status != 409)
    return refusal("cannot remove a cell", *answer);
  return {};
}

base::Result<std::vector<ContainerFacts>> EngineApi::containers_with(const std::string& label) {
  const json filters = {{"label", {label}}};
  const base::Result<Answer> answer =
      request("GET", "/containers/json?all=true&filters=" + url_encoded(filters.dump()));
  if (!answer) return answer.error();
  if (!answer->good() || !answer->body.is_array()) return refusal("cannot list containers", *answer);
  std::vector<ContainerFacts> containers;
  for (const json& one : answer->body) {
    ContainerFacts facts;
    facts.id = text_member(one, "Id");
    if (const std::vector<std::string> names = texts_of(member(one, "Names")); !names.empty())
      facts.name = names.front();
    if (facts.name.starts_with('/')) facts.name.erase(0, 1);
    if (!facts.id.empty()) containers.push_back(std::move(facts));
  }
  return containers;
}

base::Result<void> EngineApi::ensure_volume(const std::string& name, const std::string& label) {
  const base::Result<Answer> answer = request("POST", "/volumes/create", {{"Name", name}, {"Labels", {{label, "1"}}}});
  if (!answer) return answer.error();
  if (answer->good()) return {};
  // Podman says so of one that exists.
  const base::Result<Answer> existing = request("GET", "/volumes/" + url_encoded(name));
  if (existing && existing->good()) return {};
  return refusal("cannot make the volume " + name, *answer);
}

base::Result<void> EngineApi::put_archive(const std::string& id, const std::string& folder, std::string tar) {
  const base::Result<Answer> answer =
      request({.method = "PUT",
               .path = "/containers/" + url_encoded(id) + "/archive?path=" + url_encoded(folder),
               .body = std::move(tar),
               .content_type = "application/x-tar",
               .timeout = kStartLimit});
  if (!answer) return answer.error();
  if (!answer->good()) return refusal("cannot put files into " + folder, *answer);
  return {};
}

base::Result<std::optional<std::string>> EngineApi::get_archive(const std::string& id, const std::string& file) {
  base::Result<http::Response> response = client_->send(
      {.path = path("/containers/" + url_encoded(id) + "/archive?path=" + url_encoded(file)), .timeout = kStartLimit});
  if (!response) return response.error();
  if (response->status == 404) return std::optional<std::string>();
  if (response->good()) return std::optional(std::move(response->body));
  return refusal("cannot read " + file, answer_of(std::move(*response)));
}

std::string url_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-_.~/:@").find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

bool is_image_reference(std::string_view text) {
  if (text.empty() || text.size() > 512) return false;
  static const std::regex kReference(
      "(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::[0-9]{1,5})?/)?"  // host
      "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*"                           // path
      "(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*"
      "(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?"  // tag
      "(?:@sha256:[a-f0-9]{64})?");
  return std::regex_match(text.begin(), text.end(), kReference) ||
         (text.rfind("sha256:", 0) == 0 && text.size() == 71 &&
          text.find_first_not_of("0123456789abcdef", 7) == std::string_view::npos);
}

}  // namespace bashcell::engine::docker
