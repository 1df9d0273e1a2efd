#include "config_paths.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace bashcell {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> absolute_variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty() || found->second[0] != '/') return std::nullopt;
  return found->second;
}

std::string cleaned(const fs::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// What is wrong with this candidate for bashcell-init; nothing when it can be used.
std::optional<std::string> unusable(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return base::errno_error(path).message;
  if (!S_ISREG(info.st_mode)) return path + ": not a file";
  if (::access(path.c_str(), X_OK) != 0) return path + ": not executable";
  return std::nullopt;
}

}  // namespace

Environment environment_map(const std::vector<std::string>& entries) {
  Environment map;
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos) map.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return map;
}

std::optional<std::string> home_folder(const Environment& environment) {
  if (auto home = absolute_variable(environment, "HOME")) return home;
  struct passwd entry {};
  struct passwd* found = nullptr;
  std::array<char, 16384> buffer{};
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  if (entry.pw_dir == nullptr || entry.pw_dir[0] != '/') return std::nullopt;
  return std::string(entry.pw_dir);
}

std::optional<std::string> user_folder(const Environment& environment, const char* variable, const char* fallback) {
  if (const auto base = absolute_variable(environment, variable)) return cleaned(fs::path(*base) / "bashcell");
  if (const auto home = home_folder(environment)) return cleaned(fs::path(*home) / fallback / "bashcell");
  return std::nullopt;
}

std::string absolute_path(const std::string& path, const Environment& environment) {
  if (path == "~" || path.starts_with("~/")) {
    if (const auto home = home_folder(environment)) return cleaned(*home + path.substr(1));
  }
  std::error_code failure;
  const fs::path absolute = fs::absolute(path, failure);
  return failure ? path : cleaned(absolute);
}

bool is_system_folder(const std::string& path) {
  std::error_code failure;
  fs::path real = fs::canonical(path, failure);
  if (failure) real = fs::path(path).lexically_normal();
  static constexpr std::array kFolders = {"/",    "/bin",  "/boot", "/dev", "/etc",  "/home", "/lib", "/lib64",
                                          "/opt", "/proc", "/root", "/run", "/sbin", "/sys",  "/usr", "/var"};
  for (const char* folder : kFolders) {
    if (real == folder) return true;
  }
  const std::string text = real.string();
  return text.starts_with("/proc/") || text.starts_with("/sys/") || text.starts_with("/dev/");
}

base::Result<void> prepare_workspace(const Config& config) {
  struct stat info {};
  if (!config.workspace_is_default || ::stat(config.workspace.c_str(), &info) == 0) return {};
  std::error_code failure;
  fs::create_directories(fs::path(config.workspace).parent_path(), failure);
  if (::mkdir(config.workspace.c_str(), 0700) != 0 && errno != EEXIST) {
    return base::errno_error("cannot make the workspace " + config.workspace);
  }
  if (::geteuid() != 0) return {};
  const engine::User user = cell_user(config);
  if (::lchown(config.workspace.c_str(), user.uid, user.gid) != 0) {
    return base::errno_error("cannot give the workspace " + config.workspace + " to its user");
  }
  return {};
}

engine::User cell_user(const Config& config) {
  if (config.user) return *config.user;
  struct stat info {};
  if (::stat(config.workspace.c_str(), &info) != 0 || info.st_uid == 0) return engine::User{};
  // A folder of group root still gets a group that is not root's.
  return engine::User{info.st_uid, info.st_gid == 0 ? info.st_uid : info.st_gid};
}

std::string cell_image(const Config& config) { return config.image.empty() ? kDefaultImage : config.image; }

base::Result<std::string> find_supervisor(const Config& config) {
  if (!config.init.empty()) {
    if (const auto problem = unusable(config.init)) return base::Error{"bashcell-init cannot be used: " + *problem};
    return config.init;
  }
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  if (failure) return base::Error{"cannot find bashcell-init: /proc/self/exe: " + failure.message()};
  const fs::path here = self.parent_path();
  const std::vector<std::string> candidates = {
      (here / "bashcell-init").string(), (here / BASHCELL_INIT_FOLDER / "bashcell-init").lexically_normal().string()};
  for (const std::string& candidate : candidates) {
    if (!unusable(candidate)) return candidate;
  }
  return base::Error{fmt::format("there is no bashcell-init at {} or {}; install it there, or name it with --init",
                                 candidates[0], candidates[1])};
}

}  // namespace bashcell
