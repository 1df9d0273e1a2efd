#pragma once
// Docker's contexts: named engines that `docker context create` keeps below ~/.docker (DOCKER_CONFIG).
//
// Read-only. The files: config.json (currentContext), contexts/meta/ID/meta.json (Name, Endpoints.docker.Host and
// .SkipTLSVerify), contexts/tls/ID/docker/{ca,cert,key}.pem. ID is a hash of the name; the name in the file is what
// counts.

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/docker/address.h"
#include "http/client.h"

namespace bashcell::engine::docker {

// Empty when it is not set.
std::string value_of(const Environment& environment, const std::string& name);

// DOCKER_CONFIG, else ~/.docker; an error when that is no absolute path.
base::Result<std::string> docker_folder(const Environment& environment);

// DOCKER_CONTEXT, else what config.json says; empty for "default" and where there is none.
base::Result<std::string> current_context(const std::string& folder, const Environment& environment);

// The engine of that context. An error is one clause that names the context and the file.
base::Result<Address> context_address(const std::string& folder, const std::string& name);

// ca, certificate and key as far as the files exist: FOLDER/ca.pem and so on. An error when one of the pair of
// certificate and key is missing.
base::Result<http::Tls> tls_files(const std::string& folder);

}  // namespace bashcell::engine::docker
