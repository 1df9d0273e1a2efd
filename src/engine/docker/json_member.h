#pragma once
// Members of JSON that somebody else has written.

#include <string>

#include <nlohmann/json.hpp>

namespace bashcell::engine::docker {

// The member of that name, whatever its type; null when there is none, or when `object` is no object.
inline const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  static const nlohmann::json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

// Empty when there is no text of that name.
inline std::string text_member(const nlohmann::json& object, const char* name) {
  const nlohmann::json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace bashcell::engine::docker
