#include "supervisor/tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "base/file.h"

namespace bashcell::supervisor {

namespace {

// ppid of every process that can be seen.
std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* entry = ::readdir(proc)) {
    const std::string name = entry->d_name;
    if (name[0] < '1' || name[0] > '9') continue;
    const pid_t pid = std::atoi(name.c_str());  // NOLINT: digits, checked
    if (const pid_t above = parent(pid); above != 0) children.emplace(above, pid);
  }
  ::closedir(proc);
  return children;
}

}  // namespace

// The command name in /proc/PID/stat may hold anything, so fields count from its last ')': " S PPID".
pid_t parent(pid_t process) {
  const base::Result<std::string> stat = base::read_file("/proc/" + std::to_string(process) + "/stat", 1024);
  if (!stat) return 0;
  const size_t close = stat->rfind(')');
  if (close == std::string::npos || close + 4 >= stat->size()) return 0;
  return std::atoi(stat->c_str() + close + 4);  // NOLINT: digits
}

std::vector<pid_t> descendants(pid_t root) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> found{root};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

std::vector<pid_t> children(pid_t parent) {
  std::vector<pid_t> found;
  const std::multimap<pid_t, pid_t> all = children_by_parent();
  const auto [first, last] = all.equal_range(parent);
  for (auto child = first; child != last; ++child) found.push_back(child->second);
  return found;
}

int terminate_tree(pid_t root) {
  const std::vector<pid_t> pids = descendants(root);
  for (const pid_t pid : pids) {
    ::kill(pid, SIGTERM);
    ::kill(pid, SIGCONT);
  }
  return static_cast<int>(pids.size());
}

void kill_tree(pid_t root) {
  std::vector<pid_t> stopped;
  constexpr int kMaxPasses = 64;  // a pass without news ends it; a cell has few processes
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    bool news = false;
    for (const pid_t pid : descendants(root)) {
      if (std::find(stopped.begin(), stopped.end(), pid) != stopped.end()) continue;
      ::kill(pid, SIGSTOP);
      stopped.push_back(pid);
      news = true;
    }
    if (!news) break;
  }
  for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
}

void kill_children(base::Duration limit) {
  const base::Instant deadline = base::now() + limit;
  for (;;) {
    const std::vector<pid_t> pids = children(::getpid());
    if (pids.empty() || base::now() > deadline) return;
    for (const pid_t pid : pids) {
      ::kill(pid, SIGCONT);  // a stopped runner would not reap
      kill_tree(pid);
      if (descendants(pid).empty()) ::kill(pid, SIGKILL);
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace bashcell::supervisor
