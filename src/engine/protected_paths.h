#pragma once
// What in a workspace programs of the host run or obey by themselves, and that scripts therefore only read: git's
// configuration and hooks, the settings of editors and agents, start files of shells.
//
// Only what exists is found, since a mount needs something to lie on. Reads the workspace and writes nothing; no
// symbolic link in it is followed. What is found goes to an engine as paths, so somebody may have replaced it by the
// time it is mounted: whoever uses the cell compares `device` and `inode` with what is seen inside
// (sandbox/limit_check.h).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::engine {

enum class ProtectPolicy {
  kOff,
  kOn,
  kStrict,  // all of .git, too: nothing can be committed in the cell
};

struct ProtectedPath {
  std::string name;  // relative to the workspace
  // False: a folder with protected things in it, mounted on itself so that it cannot be renamed from above them.
  bool read_only = true;
  // Of the thing itself, as stat(2) tells them.
  uint64_t device = 0;
  uint64_t inode = 0;
};

struct Protection {
  std::vector<ProtectedPath> paths;      // folders before what is in them
  std::vector<std::string> unprotected;  // for people: "NAME (why)"
  std::vector<std::string> known;        // what newly_trusted() does not tell
  bool has_git = false;
  // Of the workspace; 0: nothing is to be protected.
  uint64_t device = 0;
  uint64_t inode = 0;
};

// Nothing where the workspace cannot be opened, or `policy` is kOff.
Protection find_protection(const std::string& workspace, ProtectPolicy policy);

// What `found` is about and was not there then, each once. A few file operations, in the workspace, which follow no
// link. What is in a .git that was not there is not told: who has a repository made knows it.
std::vector<std::string> newly_trusted(const std::string& workspace, Protection& found);

// The protected name that a program's message speaks of; empty if there is none.
std::string_view protected_name_in(std::string_view line);

}  // namespace bashcell::engine
