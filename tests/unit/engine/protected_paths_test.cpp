#include "engine/protected_paths.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine;

namespace {

class Workspace {
 public:
  void file(const std::string& name) { std::ofstream(path(name)) << "text"; }
  void folder(const std::string& name) { std::filesystem::create_directories(path(name)); }
  void link(const std::string& target, const std::string& name) { std::filesystem::create_symlink(target, path(name)); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string top() const { return folder_.path().string(); }
  Protection find(ProtectPolicy policy = ProtectPolicy::kOn) const { return find_protection(top(), policy); }

 private:
  TemporaryFolder folder_;
};

// "NAME" for what is read-only, "NAME/" for a folder mounted on itself.
std::vector<std::string> names(const Protection& protection) {
  std::vector<std::string> list;
  for (const ProtectedPath& path : protection.paths) list.push_back(path.name + (path.read_only ? "" : "/"));
  return list;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what is there of the trusted names is found, and the folder above it comes first") {
  Workspace w;
  CHECK(names(w.find()).empty());
  w.folder(".git/hooks");
  w.file(".git/config");
  w.file(".git/index");
  w.folder(".vscode");
  w.file(".mcp.json");
  w.file("Makefile");
  CHECK(names(w.find()) == Names{".git/", ".git/config", ".git/hooks", ".mcp.json", ".vscode"});
  CHECK(w.find().unprotected.empty());
  struct stat info {};
  REQUIRE(::stat(w.path(".git/config").c_str(), &info) == 0);
  CHECK(w.find().paths[1].device == info.st_dev);
  CHECK(w.find().paths[1].inode == info.st_ino);
  REQUIRE(::stat(w.top().c_str(), &info) == 0);
  CHECK(w.find().inode == info.st_ino);
}

TEST_CASE("strict takes all of .git, off takes nothing") {
  Workspace w;
  w.folder(".git/hooks");
  w.file(".envrc");
  CHECK(names(w.find(ProtectPolicy::kStrict)) == Names{".git", ".envrc"});
  const Protection off = w.find(ProtectPolicy::kOff);
  CHECK(off.paths.empty());
  CHECK(off.device == 0);
}

TEST_CASE("the .git of a worktree, which is a file, is protected as it is") {
  Workspace w;
  w.file(".git");
  CHECK(names(w.find()) == Names{".git"});
}

TEST_CASE("links are not followed, wherever they are, and said") {
  Workspace w;
  w.folder("elsewhere/hooks");
  w.link("elsewhere", ".git");
  w.link("/etc/passwd", ".envrc");
  w.link("/nonexistent", ".idea");
  const Protection found = w.find();
  CHECK(names(found).empty());
  CHECK(found.unprotected == Names{".git (a link)", ".idea (a link)", ".envrc (a link)"});

  Workspace inner;
  inner.folder(".git");
  inner.link("/etc", ".git/hooks");
  CHECK(names(inner.find()) == Names{".git/"});
  CHECK(inner.find().unprotected == Names{".git/hooks (a link)"});
}

TEST_CASE("a file with a second name is protected, and said; pipes and sockets are only said") {
  Workspace w;
  w.file(".mcp.json");
  std::filesystem::create_hard_link(w.path(".mcp.json"), w.path("other"));
  REQUIRE(::mkfifo(w.path(".envrc").c_str(), 0600) == 0);
  CHECK(names(w.find()) == Names{".mcp.json"});
  CHECK(w.find().unprotected == Names{".mcp.json (it has another name, too)", ".envrc (no file and no folder)"});
}

TEST_CASE("a workspace that cannot be opened has nothing to protect") {
  CHECK(find_protection("/nonexistent/workspace", ProtectPolicy::kOn).paths.empty());
  Workspace w;
  w.file("file");
  CHECK(find_protection(w.path("file"), ProtectPolicy::kOn).device == 0);
}

TEST_CASE("what appears later is told once, but nothing of a repository that was made later") {
  Workspace w;
  w.file(".envrc");
  Protection found = w.find();
  CHECK(newly_trusted(w.top(), found).empty());
  w.folder(".vscode");
  w.folder(".git/hooks");
  w.link("/etc", ".idea");
  CHECK(newly_trusted(w.top(), found) == Names{".vscode", ".idea"});
  CHECK(newly_trusted(w.top(), found).empty());

  Protection with_git = w.find();
  w.file(".git/commondir");
  CHECK(newly_trusted(w.top(), with_git) == Names{".git/commondir"});
  Protection off = w.find(ProtectPolicy::kOff);
  CHECK(newly_trusted(w.top(), off).empty());
}

TEST_CASE("a protected name is found in a message where it is a whole name") {
  CHECK(protected_name_in("error: could not write config file .git/config: Device or resource busy") == ".git/config");
  CHECK(protected_name_in("bash: line 1: /workspace/.git/hooks/pre-commit: Read-only file system") == ".git/hooks");
  CHECK(protected_name_in("rm: cannot remove 'a/.vscode/x'") == ".vscode");
  CHECK(protected_name_in("touch: x.vscode: no").empty());
  CHECK(protected_name_in("touch: .vscodes: no").empty());
  CHECK(protected_name_in("").empty());
}
