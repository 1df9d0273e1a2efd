#pragma once
// The Docker Engine API (docs.docker.com/reference/api/engine, 1.40 and newer), as far as a cell needs it. Podman's
// compatible API speaks the same.
//
// Every call blocks, for at most the time its request says; one thread at a time. Errors are sentences that name the
// engine's address.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "engine/docker/address.h"
#include "http/client.h"

namespace bashcell::engine::docker {

// What answers at an address.
struct EngineFacts {
  // From GET /_ping.
  std::string product;  // "Docker", "Podman"
  std::string version;  // of the engine: 20.10.24
  std::string api;      // the version spoken with it: 1.41
  bool podman = false;
  bool rootless = false;  // at a local socket: whose it is
  // From GET /info, after describe().
  std::string system;  // "Debian GNU/Linux 12 (bookworm)", "Docker Desktop"
  bool seccomp = true;
  int cgroup_version = 1;
};

struct ImageFacts {
  std::string architecture;
  std::string os;
  std::vector<std::string> environment;  // NAME=value
};

struct ContainerFacts {
  std::string id;
  std::string name;  // without the leading slash
};

// What the engine said to a request that it understood.
struct Answer {
  long status = 0;
  nlohmann::json body;  // null when there is none, or when it is no JSON
  std::string message;  // of an error: its "message", else the first 300 bytes

  bool good() const { return status >= 200 && status < 300; }
};

class EngineApi {
 public:
  static constexpr base::Duration kLimit{10'000};

  // Connects, and agrees on a version: the engine's newest, at most the newest that is known here. An error when
  // nothing answers, when it is no such engine, or when it is older than 1.40 (Docker 19.03). Takes `limit` at most.
  static base::Result<std::unique_ptr<EngineApi>> connect(const http::ClientMaker& make_client, Address address,
                                                          base::Duration limit = kLimit);

  // Completes the facts.
  base::Result<void> describe(base::Duration limit = kLimit);
  const EngineFacts& facts() const { return facts_; }
  const Address& address() const { return address_; }
  // "the Docker engine at unix:///run/docker.sock"
  std::string name() const;

  // Nothing: the engine does not have it.
  base::Result<std::optional<ImageFacts>> find_image(const std::string& reference);
  // The body as the engine wants it. The answer's body has "Id". Not every failure is an error: 404 and 400 are
  // answers.
  base::Result<Answer> create_container(const std::string& name, const nlohmann::json& config);
  // stdin, stdout and stderr of a created container, until it ends.
  base::Result<std::unique_ptr<http::Connection>> attach(const std::string& id);
  base::Result<void> start_container(const std::string& id);
  // By force. One that is gone already, or is being removed, is no error.
  base::Result<void> remove_container(const std::string& id, base::Duration limit);
  // All that have the label, running or not. `label`: "name" or "name=value".
  base::Result<std::vector<ContainerFacts>> containers_with(const std::string& label);

  // Makes it when it does not exist.
  base::Result<void> ensure_volume(const std::string& name, const std::string& label);
  // Unpacks a tar file into an existing folder of a container, which need not run.
  base::Result<void> put_archive(const std::string& id, const std::string& folder, std::string tar);
  // One file of it as a tar file; nothing when there is none.
  base::Result<std::optional<std::string>> get_archive(const std::string& id, const std::string& path);

  // Any other request, below the version: path "/networks/NAME". What it says is for the caller to judge.
  base::Result<Answer> request(const std::string& method, const std::string& path,
                               const nlohmann::json& body = nullptr);
  base::Result<Answer> request(http::Request request);

 private:
  EngineApi(Address address, std::unique_ptr<http::Client> client);
  base::Result<void> negotiate(base::Duration limit);
  base::Error refusal(const std::string& what, const Answer& answer) const;
  std::string path(const std::string& below) const { return "/v" + facts_.api + below; }

  Address address_;
  std::unique_ptr<http::Client> client_;
  EngineFacts facts_;
};

// Percent-encoded for use in a path or a query (RFC 3986 section 2.1).
std::string url_encoded(std::string_view text);

// True if it is an image reference: [HOST[:PORT]/]PATH[:TAG][@DIGEST] (the grammar of the distribution project), at
// most 512 bytes. Everything else is refused before it travels.
bool is_image_reference(std::string_view text);

}  // namespace bashcell::engine::docker
