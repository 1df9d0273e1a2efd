#include "process_facts.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/file.h"

namespace bashcell::bench {

namespace {

std::string proc_file(pid_t pid, const char* name) {
  const base::Result<std::string> content = base::read_file("/proc/" + std::to_string(pid) + "/" + name);
  return content ? *content : std::string();
}

// The words after "FIELD:" in /proc/PID/status.
std::vector<std::string> status_of(pid_t pid, const std::string& field) {
  std::istringstream lines(proc_file(pid, "status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(field + ":", 0) != 0) continue;
    std::istringstream words(line.substr(field.size() + 1));
    std::vector<std::string> result;
    for (std::string word; words >> word;) result.push_back(word);
    return result;
  }
  return {};
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> result;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const std::vector<std::string> parent = status_of(pid, "PPid");
    if (!parent.empty()) result.emplace(std::stoi(parent[0]), pid);
  }
  return result;
}

double megabytes(pid_t pid, const std::string& field) {
  const std::vector<std::string> words = status_of(pid, field);
  if (words.size() != 2) throw std::runtime_error("process " + std::to_string(pid) + " has no " + field);
  return std::stod(words[0]) / 1024;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t pid) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> result;
  std::vector<pid_t> pending{pid};
  while (!pending.empty()) {
    const auto [first, last] = children.equal_range(pending.back());
    pending.pop_back();
    for (auto child = first; child != last; ++child) {
      result.push_back(child->second);
      pending.push_back(child->second);
    }
  }
  return result;
}

std::vector<std::string> arguments_of(pid_t pid) {
  std::vector<std::string> result;
  std::istringstream text(proc_file(pid, "cmdline"));
  for (std::string argument; std::getline(text, argument, '\0');) result.push_back(argument);
  return result;
}

pid_t supervisor_of(pid_t server) {
  for (const pid_t pid : descendants_of(server)) {
    const std::vector<std::string> name = status_of(pid, "Name");
    const std::vector<std::string> numbers = status_of(pid, "NSpid");
    const bool first_in_its_namespace = numbers.size() > 1 && numbers.back() == "1";
    if (first_in_its_namespace && name == std::vector<std::string>{"bashcell-init"}) return pid;
  }
  throw std::runtime_error("found no bashcell-init that is PID 1 below the server");
}

std::vector<pid_t> processes_of_session(pid_t server) {
  const std::string name = "bashcell-" + std::to_string(server) + "-";  // of its cells: engine/cell_name.h
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  const auto in_cell = [&](pid_t pid) {
    return proc_file(pid, "cgroup").find(name) != std::string::npos ||
           proc_file(pid, "mountinfo").find(name) != std::string::npos;
  };
  std::set<pid_t> session{server};
  for (const pid_t pid : descendants_of(server)) session.insert(pid);
  for (const auto& [parent, pid] : children) {
    if (session.count(pid) > 0 || !in_cell(pid)) continue;
    session.insert(pid);
    if (status_of(pid, "NSpid").size() > 1 && status_of(pid, "NSpid").back() == "1") session.insert(parent);
  }
  return {session.begin(), session.end()};
}

double proportional_mb(pid_t pid) {
  std::istringstream lines(proc_file(pid, "smaps_rollup"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Pss:", 0) == 0) return std::stod(line.substr(4)) / 1024;
  }
  return 0;  // it has ended, or is a kernel's
}

double resident_mb(pid_t pid) { return megabytes(pid, "VmRSS"); }

double peak_mb(pid_t pid) { return megabytes(pid, "VmHWM"); }

void reset_peak(pid_t pid) {
  // "5" resets the high-water mark. Without the right to, the mark includes the start, which only makes it larger.
  std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";
}

double cpu_seconds(pid_t pid) {
  // Fields 14 and 15 of the line; the second one, the name, ends with the last parenthesis.
  const std::string line = proc_file(pid, "stat");
  std::istringstream words(line.substr(std::min(line.rfind(')'), line.size())));
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  if (fields.size() < 14) throw std::runtime_error("process " + std::to_string(pid) + " has no times");
  return (std::stod(fields[12]) + std::stod(fields[13])) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace bashcell::bench
