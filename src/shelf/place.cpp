#include "shelf/place.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <optional>

#include "base/fingerprint.h"
#include "engine/private_folder.h"

namespace bashcell::shelf {

namespace {

namespace fs = std::filesystem;

// What people can tell it by.
std::string readable(const std::string& name) {
  constexpr size_t kMost = 32;
  std::string text;
  for (const char c : name.substr(0, kMost)) {
    text += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ? c : '-';
  }
  return text;
}

base::Result<Place> place_of(const std::string& key, std::string workspace) {
  const std::optional<std::string> data = engine::lasting_folder("/var/lib", "XDG_DATA_HOME", ".local/share");
  if (!data) return base::Error{"there is no place for it: HOME is not set"};
  return Place{*data + "/bashcell/shelf/" + key, std::move(workspace)};
}

std::string key_of(const std::string& whole, const std::string& tail) {
  return fmt::format("{:016x}-{}", base::fingerprint(whole), readable(tail));
}

}  // namespace

base::Result<Place> place_for_workspace(const std::string& workspace) {
  std::error_code missing;
  fs::path path = fs::canonical(workspace, missing);
  if (missing) path = fs::path(workspace).lexically_normal();
  return place_of(key_of(path, path.filename()), path);
}

base::Result<Place> place_for_volume(const std::string& volume) {
  return place_of(key_of("volume:" + volume, volume), {});
}

base::Result<Place> place_for_user() { return place_of("user", {}); }

}  // namespace bashcell::shelf
