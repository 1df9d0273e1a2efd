#include "engine/protected_paths.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace bashcell::engine {

namespace {

// What is run or obeyed when somebody enters the folder, opens it, or uses git there. Not what a project is made of
// (Makefile, package.json, tests): who runs these, runs the project.
constexpr std::array<std::string_view, 46> kNames = {
    // git: commands to run, where else to look for such (commondir), and the same of submodules and worktrees
    ".git/config", ".git/config.worktree", ".git/commondir", ".git/hooks", ".git/modules", ".git/worktrees",
    // run by git's hooks
    ".husky", ".githooks", ".lefthook", ".lefthook.yml", "lefthook.yml", ".pre-commit-config.yaml",
    // agents: servers and commands to start
    ".mcp.json", ".claude", ".codex", ".gemini", ".cursor", ".windsurf", ".continue", ".roo",
    // editors: tasks, extensions, start files
    ".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", ".exrc", ".vimrc", ".nvim.lua",
    ".gdbinit", ".lldbinit",
    // at each change into the folder
    ".envrc", ".mise", ".mise.toml", "mise.toml",
    // of a workspace that is somebody's home
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".gitconfig", ".ssh"};
constexpr std::string_view kGit = ".git";
constexpr std::string_view kInGit = ".git/";

class Search {
 public:
  Search(int top, Protection& found) : top_(top), found_(found) {}

  // `name` below the workspace, with a mount for each folder above it.
  void add(std::string_view name) {
    base::UniqueFd folder;
    int at = top_;
    for (size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
      folder = open(at, name, slash, S_IFDIR);
      if (!folder.valid()) return;
      at = folder.get();
    }
    open(at, name, name.size(), 0);
  }

  // A folder .git or, in a worktree or a submodule, a file of that name.
  void add_git(bool all) {
    struct stat info {};
    if (::fstatat(top_, kGit.data(), &info, AT_SYMLINK_NOFOLLOW) == 0 && (all || !S_ISDIR(info.st_mode))) add(kGit);
  }

 private:
  // The thing called `name` up to `end`, in the folder `at`. `kind`: as a folder on the way; 0: itself is protected.
  base::UniqueFd open(int at, std::string_view name, size_t end, mode_t kind) {
    const std::string path(name.substr(0, end));
    const std::string last = path.substr(path.rfind('/') + 1);
    base::UniqueFd fd(::openat(at, last.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!fd.valid() || ::fstat(fd.get(), &info) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) leave(path, std::strerror(errno));
      return {};
    }
    if (S_ISLNK(info.st_mode)) {
      leave(path, "a link");
      return {};
    }
    if (kind == S_IFDIR && !S_ISDIR(info.st_mode)) return {};
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
      leave(path, "no file and no folder");
      return {};
    }
    // Whoever writes to the other name writes to the file. It is read-only under this one all the same.
    if (S_ISREG(info.st_mode) && info.st_nlink > 1) leave(path, "it has another name, too");
    keep({.name = path, .read_only = kind == 0, .device = info.st_dev, .inode = info.st_ino});
    return fd;
  }

  void keep(ProtectedPath path) {
    const auto known = std::find_if(found_.paths.begin(), found_.paths.end(),
                                    [&](const ProtectedPath& other) { return other.name == path.name; });
    if (known == found_.paths.end()) found_.paths.push_back(std::move(path));
  }

  void leave(const std::string& path, const char* why) {
    std::string text = fmt::format("{} ({})", path, why);
    const auto known = std::find(found_.unprotected.begin(), found_.unprotected.end(), text);
    if (known == found_.unprotected.end()) found_.unprotected.push_back(std::move(text));
  }

  int top_;
  Protection& found_;
};

base::UniqueFd open_folder(int at, const char* name, int more = O_NOFOLLOW) {
  return base::UniqueFd(::openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | more));
}

std::vector<std::string> names_in(int top) {
  std::vector<std::string> names;
  const base::UniqueFd git = open_folder(top, kGit.data());
  for (const std::string_view name : kNames) {
    const bool of_git = name.starts_with(kInGit);
    const std::string last(of_git ? name.substr(kInGit.size()) : name);
    struct stat info {};
    if (of_git && !git.valid()) continue;
    if (::fstatat(of_git ? git.get() : top, last.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) names.emplace_back(name);
  }
  return names;
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

}  // namespace

Protection find_protection(const std::string& workspace, ProtectPolicy policy) {
  Protection found;
  if (policy == ProtectPolicy::kOff) return found;
  const base::UniqueFd top = open_folder(AT_FDCWD, workspace.c_str(), 0);
  struct stat info {};
  if (!top.valid() || ::fstat(top.get(), &info) != 0) return found;
  found.device = info.st_dev;
  found.inode = info.st_ino;
  found.known = names_in(top.get());
  found.has_git = ::fstatat(top.get(), kGit.data(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  Search search(top.get(), found);
  const bool all_of_git = policy == ProtectPolicy::kStrict;
  search.add_git(all_of_git);
  for (const std::string_view name : kNames) {
    if (!all_of_git || !name.starts_with(kInGit)) search.add(name);
  }
  return found;
}

std::vector<std::string> newly_trusted(const std::string& workspace, Protection& found) {
  std::vector<std::string> names;
  const base::UniqueFd top = found.device == 0 ? base::UniqueFd() : open_folder(AT_FDCWD, workspace.c_str(), 0);
  if (!top.valid()) return names;
  for (std::string& name : names_in(top.get())) {
    if (std::find(found.known.begin(), found.known.end(), name) != found.known.end()) continue;
    if (name.starts_with(kInGit) && !found.has_git) continue;
    found.known.push_back(name);
    names.push_back(std::move(name));
  }
  return names;
}

std::string_view protected_name_in(std::string_view line) {
  for (const std::string_view name : kNames) {
    for (size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || !is_part_of_name(line[at - 1])) && (end == line.size() || !is_part_of_name(line[end])))
        return name;
    }
  }
  return {};
}

}  // namespace bashcell::engine
