#include "mcp/era.h"

#include <algorithm>
#include <array>

namespace bashcell::mcp {

namespace {

using nlohmann::json;

constexpr int kUnsupportedProtocolVersion = -32022;  // assigned by the protocol, 2026-07-28

const json* meta_member(const json& params, const char* key) {
  if (!params.is_object()) return nullptr;
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return nullptr;
  const auto member = meta->find(key);
  return member == meta->end() ? nullptr : &*member;
}

}  // namespace

std::variant<Era, rpc::ErrorObject> era_of(const json& params) {
  const json* const version = meta_member(params, "io.modelcontextprotocol/protocolVersion");
  if (version == nullptr) return Era::kLegacy;
  if (!version->is_string()) {
    return rpc::ErrorObject{rpc::kInvalidParams,
                            "Invalid params: io.modelcontextprotocol/protocolVersion must be a string"};
  }
  if (*version != kModernVersion) {
    const json data = {{"supported", json::array({kModernVersion})}, {"requested", *version}};
    return rpc::ErrorObject{kUnsupportedProtocolVersion, "Unsupported protocol version", data};
  }
  const json* const capabilities = meta_member(params, "io.modelcontextprotocol/clientCapabilities");
  if (capabilities == nullptr || !capabilities->is_object()) {
    return rpc::ErrorObject{rpc::kInvalidParams,
                            "Invalid params: _meta must hold io.modelcontextprotocol/clientCapabilities, an object"};
  }
  return Era::kModern;
}

std::string negotiated_version(const json& initialize_params) {
  constexpr std::array kLegacyVersions = {"2024-11-05", kBatchVersion, "2025-06-18", kNewestLegacyVersion};
  const auto requested = initialize_params.find("protocolVersion");
  const bool known =
      requested != initialize_params.end() &&
      std::any_of(kLegacyVersions.begin(), kLegacyVersions.end(), [&](const char* v) { return *requested == v; });
  return known ? requested->get<std::string>() : kNewestLegacyVersion;
}

bool declares_sampling(const json& initialize_params) {
  const auto capabilities = initialize_params.find("capabilities");
  if (capabilities == initialize_params.end() || !capabilities->is_object()) return false;
  const auto sampling = capabilities->find("sampling");
  return sampling != capabilities->end() && sampling->is_object();
}

std::optional<json> progress_token(const json& params) {
  const json* const token = meta_member(params, "progressToken");
  if (token == nullptr || !(token->is_string() || token->is_number_integer())) return std::nullopt;
  return *token;
}

}  // namespace bashcell::mcp
