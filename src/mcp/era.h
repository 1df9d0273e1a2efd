#pragma once
// Which of the two protocol eras a single message speaks.
//
// Legacy (2024-11-05 to 2025-11-25): a connection is opened by `initialize`. Modern (2026-07-28): no handshake, every
// request carries its own envelope in params._meta. Both may come mixed on one connection, so each message is judged by
// itself and nothing is remembered of the ones before it.

#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "rpc/message.h"

namespace bashcell::mcp {

inline constexpr const char* kModernVersion = "2026-07-28";
inline constexpr const char* kNewestLegacyVersion = "2025-11-25";
// The only version with JSON-RPC batches.
inline constexpr const char* kBatchVersion = "2025-03-26";

enum class Era { kLegacy, kModern };

// By the protocol version in params._meta: absent means legacy. An envelope that is there but not right is an error.
std::variant<Era, rpc::ErrorObject> era_of(const nlohmann::json& params);

// What `initialize` answers: the requested version where it is a legacy one we speak, else the newest of them.
std::string negotiated_version(const nlohmann::json& initialize_params);

// Whether `initialize` came with the capability to ask the client's model.
bool declares_sampling(const nlohmann::json& initialize_params);

// params._meta.progressToken, where it is one (a string or an integer).
std::optional<nlohmann::json> progress_token(const nlohmann::json& params);

}  // namespace bashcell::mcp
