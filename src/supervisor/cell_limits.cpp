#include "supervisor/cell_limits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/file.h"

namespace bashcell::supervisor {

namespace {

constexpr std::string_view kCgroupRoot = "/sys/fs/cgroup";

// cgroup v2 shows all files in one folder; v1 has one per controller.
std::string cgroup_file(std::string_view controller, std::string_view v2_name, std::string_view v1_name) {
  const std::string root(kCgroupRoot);
  if (::access((root + "/cgroup.controllers").c_str(), F_OK) == 0) return root + "/" + std::string(v2_name);
  std::string folder = root + "/" + std::string(controller);
  if (controller == "cpu" && ::access(folder.c_str(), F_OK) != 0) folder = root + "/cpu,cpuacct";
  return folder + "/" + std::string(v1_name);
}

// The number at the start of a text; -1 for "max", for none, and for the huge numbers that v1 means "no limit" by.
int64_t limit_number(std::string_view text) {
  const std::string digits(base::trimmed(text));
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return -1;
  const int64_t value = std::strtoll(digits.c_str(), nullptr, 10);
  constexpr int64_t kNoLimit = int64_t{1} << 60;
  return value >= kNoLimit ? -1 : value;
}

int64_t limit_in(const std::string& path) {
  const base::Result<std::string> text = base::read_file(path, 4096);
  return text ? limit_number(*text) : -1;
}

// "NAME VALUE" in a file of such lines.
int64_t counter(std::string_view text, std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name) && line.size() > name.size() &&
        (line[name.size()] == ' ' || line[name.size()] == '\t')) {
      return limit_number(line.substr(name.size() + 1));
    }
    at = end + 1;
  }
  return -1;
}

std::string status_field(std::string_view status, std::string_view name) {
  const std::string key = "\n" + std::string(name) + ":";
  const size_t at = status.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = status.substr(at + key.size());
  return std::string(base::trimmed(rest.substr(0, rest.find('\n'))));
}

void read_cgroup(wire::CellFacts& facts) {
  facts.memory_bytes = limit_in(cgroup_file("memory", "memory.max", "memory.limit_in_bytes"));
  facts.pids = limit_in(cgroup_file("pids", "pids.max", "pids.max"));
  const std::string swap_v2 = std::string(kCgroupRoot) + "/memory.swap.max";
  if (::access(swap_v2.c_str(), F_OK) == 0) {
    facts.swap_bytes = limit_in(swap_v2);
  } else if (const int64_t both = limit_in(std::string(kCgroupRoot) + "/memory/memory.memsw.limit_in_bytes");
             both >= 0 && facts.memory_bytes >= 0) {
    facts.swap_bytes = both - facts.memory_bytes;
  }
  if (const auto swaps = base::read_file("/proc/swaps", 65536)) {
    facts.swap_present = swaps->find("\n/") != std::string::npos;
  }
  const std::string cpu_v2 = std::string(kCgroupRoot) + "/cpu.max";
  if (const auto cpu = base::read_file(cpu_v2, 256)) {
    facts.cpu_quota_us = limit_number(*cpu);
    if (const size_t space = cpu->find(' '); space != std::string::npos) {
      facts.cpu_period_us = limit_number(std::string_view(*cpu).substr(space));
    }
  } else {
    facts.cpu_quota_us = limit_in(cgroup_file("cpu", "cpu.max", "cpu.cfs_quota_us"));
    facts.cpu_period_us = limit_in(cgroup_file("cpu", "cpu.max", "cpu.cfs_period_us"));
  }
}

void read_privileges(wire::CellFacts& facts) {
  const base::Result<std::string> status = base::read_file("/proc/self/status", 65536);
  if (!status) return;
  facts.no_new_privs = status_field(*status, "NoNewPrivs") == "1";
  facts.seccomp_mode = limit_number(status_field(*status, "Seccomp"));
  uint64_t all = 0;
  for (const std::string_view set : {"CapBnd", "CapPrm", "CapEff", "CapInh", "CapAmb"}) {
    const std::string hex = status_field(*status, set);
    all |= hex.empty() ? ~uint64_t{0} : std::strtoull(hex.c_str(), nullptr, 16);
  }
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[all & 15U]);
    all >>= 4U;
  } while (all != 0);
  facts.capabilities = text;
}

void read_network(wire::CellFacts& facts) {
  const base::Result<std::string> devices = base::read_file("/proc/net/dev", 65536);
  if (!devices) {
    facts.network_interfaces = {"unknown"};
    return;
  }
  std::string_view rest = *devices;
  while (!rest.empty() && facts.network_interfaces.size() < 64) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // Two header lines have a '|'; the others are "  NAME: numbers".
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.find('|') != std::string_view::npos) continue;
    facts.network_interfaces.emplace_back(base::trimmed(line.substr(0, colon)));
  }
}

// The field at `index` of a line of proc_pid_mountinfo(5).
std::string_view field(std::string_view line, int index) {
  for (; index > 0 && !line.empty(); --index) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return line.substr(0, line.find(' '));
}

// Of two mounts at one place the later covers the other.
void add_mount(wire::CellFacts& facts, const std::string& path, std::string_view name, std::string_view options) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return;
  std::erase_if(facts.workspace_mounts, [&](const wire::WorkspaceMount& other) { return other.name == name; });
  const bool read_only = options == "ro" || options.starts_with("ro,");
  facts.workspace_mounts.push_back(
      {.name = std::string(name), .read_only = read_only, .device = info.st_dev, .inode = info.st_ino});
}

void read_workspace(wire::CellFacts& facts, const std::string& workspace) {
  constexpr int kMountPoint = 4;
  constexpr int kOptions = 5;
  constexpr size_t kLongestName = 64;  // no protected one is longer, or has a character that is written as \ooo there
  struct stat info {};
  if (::stat(workspace.c_str(), &info) == 0) {
    facts.workspace_device = info.st_dev;
    facts.workspace_inode = info.st_ino;
  }
  facts.workspace_writable = ::access(workspace.c_str(), W_OK | X_OK) == 0;
  const base::Result<std::string> mounts = base::read_file("/proc/self/mountinfo");
  if (!mounts) return;
  for (std::string_view rest = *mounts; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::string_view path = field(line, kMountPoint);
    if (!path.starts_with(workspace + "/") || facts.workspace_mounts.size() == wire::kMostWorkspaceMounts) continue;
    const std::string_view name = path.substr(workspace.size() + 1);
    if (name.size() > kLongestName || name.find('\\') != name.npos) continue;
    add_mount(facts, std::string(path), name, field(line, kOptions));
  }
}

}  // namespace

wire::CellFacts read_facts(const ShellPaths& paths) {
  wire::CellFacts facts;
  facts.uid = static_cast<int64_t>(::geteuid());
  facts.gid = static_cast<int64_t>(::getegid());
  facts.pid = ::getpid();
  read_cgroup(facts);
  read_privileges(facts);
  read_network(facts);
  struct statvfs root {};
  facts.root_read_only = ::statvfs("/", &root) == 0 && (root.f_flag & ST_RDONLY) != 0;
  struct statvfs tmp {};
  if (::statvfs("/tmp", &tmp) == 0) facts.tmp_bytes = static_cast<int64_t>(tmp.f_blocks * tmp.f_frsize);
  read_workspace(facts, paths.workspace);
  if (::access(paths.bash.c_str(), X_OK) == 0) facts.shell = paths.bash;
  return facts;
}

namespace {

base::UniqueFd open_counter(const std::string& path) {
  return base::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string reading(const base::UniqueFd& fd) {
  std::array<char, 1024> buffer{};
  const ssize_t n = fd.valid() ? ::pread(fd.get(), buffer.data(), buffer.size(), 0) : -1;
  return n > 0 ? std::string(buffer.data(), static_cast<size_t>(n)) : std::string();
}

}  // namespace

LimitWatch::LimitWatch()
    : memory_events_(open_counter(cgroup_file("memory", "memory.events", "memory.oom_control"))),
      pids_events_(open_counter(cgroup_file("pids", "pids.events", "pids.events"))),
      pids_current_(open_counter(cgroup_file("pids", "pids.current", "pids.current"))),
      pids_max_(limit_in(cgroup_file("pids", "pids.max", "pids.max"))) {}

LimitEvents LimitWatch::read() const {
  return {counter(reading(memory_events_), "oom_kill"), counter(reading(pids_events_), "max")};
}

int64_t LimitWatch::room_for_processes() const {
  const int64_t current = limit_number(reading(pids_current_));
  return pids_max_ < 0 || current < 0 ? 1'000'000 : pids_max_ - current;
}

}  // namespace bashcell::supervisor
