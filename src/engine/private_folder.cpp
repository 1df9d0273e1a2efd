#include "engine/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace bashcell::engine {

namespace {

constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO, the same number on every machine

std::string current_namespace_tag() {
  struct stat info {};
  if (::stat("/proc/self/ns/pid", &info) != 0 || info.st_ino == kFirstPidNamespace) return {};
  return fmt::format("-{}", info.st_ino);
}

bool is_own_folder(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

std::vector<std::string> usual_places() {
  std::vector<std::string> places;
  if (::geteuid() == 0) {
    places.emplace_back("/run/bashcell");
  } else if (const char* runtime_folder = std::getenv("XDG_RUNTIME_DIR");
             runtime_folder != nullptr && runtime_folder[0] == '/' && is_own_folder(runtime_folder)) {
    places.push_back(std::string(runtime_folder) + "/bashcell");
  }
  places.push_back(fmt::format("/tmp/bashcell-{}", ::geteuid()));
  return places;
}

}  // namespace

base::Result<void> make_private(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return base::errno_error("cannot make the folder " + path);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return base::errno_error("cannot look at " + path);
  if (!S_ISDIR(info.st_mode)) return base::Error{path + " is not a folder; remove it"};
  if (info.st_uid != ::geteuid())
    return base::Error{fmt::format("{} belongs to another user (uid {}); remove it", path, info.st_uid)};
  if ((info.st_mode & 077) != 0 && ::chmod(path.c_str(), 0700) != 0)
    return base::errno_error("cannot close " + path + " to others");
  return {};
}

base::Result<void> make_open(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return base::errno_error("cannot make the folder " + path);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return base::Error{path + " is not a folder; remove it"};
  }
  if (::chmod(path.c_str(), 0755) != 0) return base::errno_error("cannot open " + path + " to cells");
  return {};
}

std::optional<std::string> lasting_folder(const char* for_root, const char* variable, const char* below_home) {
  if (::geteuid() == 0) return for_root;
  const char* const chosen = std::getenv(variable);
  if (chosen != nullptr && chosen[0] == '/') return chosen;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/" + below_home;
  return std::nullopt;
}

std::string use_another_place(const char* for_root, const char* variable) {
  if (::geteuid() == 0) return std::string("mount a file system of this machine at ") + for_root + "/bashcell";
  return std::string("let ") + variable + " name a folder on a disk of this machine";
}

base::Result<PrivateFolder> open_private_folder(const std::string& chosen) {
  PrivateFolder folder;
  folder.namespace_tag = current_namespace_tag();
  base::Error refused;
  for (const std::string& place : chosen.empty() ? usual_places() : std::vector<std::string>{chosen}) {
    folder.path = place + folder.namespace_tag;
    base::Result<void> made = make_private(folder.path);
    if (made) made = make_private(folder.bundles());
    if (made) made = make_private(folder.roots());
    if (made) return folder;
    refused = made.error();
  }
  return refused;
}

}  // namespace bashcell::engine
