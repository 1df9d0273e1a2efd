#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/file.h"

namespace bashcell::base {

namespace {

ExitStatus exit_status(int status) {
  if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

// posix_spawn's objects are C: freed on every path.
struct SpawnPlan {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

}  // namespace

std::vector<char*> argv_of(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec's signature
  list.push_back(nullptr);
  return list;
}

Result<Child> spawn(const SpawnOptions& options) {
  SpawnPlan plan;
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (options.new_session) flags |= POSIX_SPAWN_SETSID;
  posix_spawnattr_setflags(&plan.attributes, static_cast<short>(flags));

  // Sources are first copied high, so that placing one cannot overwrite another that is still to be placed.
  int highest = 2;
  for (const auto& [target, source] : options.descriptors) highest = std::max(highest, target);
  std::vector<UniqueFd> sources;
  std::vector<bool> taken(static_cast<size_t>(highest) + 1, false);
  for (const auto& [target, source] : options.descriptors) {
    Result<UniqueFd> copy = duplicate(source, highest + 1);
    if (!copy) return copy.error();
    posix_spawn_file_actions_adddup2(&plan.actions, copy->get(), target);
    sources.push_back(std::move(*copy));
    taken[static_cast<size_t>(target)] = true;
  }
  for (int fd = 0; fd <= highest; ++fd) {
    if (taken[static_cast<size_t>(fd)]) continue;
    if (fd <= 2) {
      posix_spawn_file_actions_addopen(&plan.actions, fd, "/dev/null", O_RDWR, 0);
    } else {
      posix_spawn_file_actions_addclose(&plan.actions, fd);
    }
  }
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, highest + 1);
  if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&plan.actions, options.directory.c_str());

  const std::vector<char*> argv = argv_of(options.argv);
  const std::vector<char*> environment = argv_of(options.environment);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, options.argv[0].c_str(), &plan.actions, &plan.attributes, argv.data(), environment.data());
  if (error != 0) return errno_error("cannot start " + options.argv[0], error);
  return Child(pid);
}

std::optional<ExitStatus> Child::poll() {
  if (pid_ <= 0) return std::nullopt;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  pid_ = -1;
  if (got < 0) return ExitStatus{};  // somebody else reaped it: the fact is lost, the end is not
  return exit_status(status);
}

std::optional<ExitStatus> Child::wait(Duration timeout) {
  if (pid_ <= 0) return std::nullopt;
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  const Instant deadline = now() + timeout;
  for (;;) {
    if (std::optional<ExitStatus> status = poll()) return status;
    const Duration left = until(deadline);
    if (left == Duration::zero()) return std::nullopt;
    pollfd entry{pidfd.get(), POLLIN, 0};
    // Without pidfd_open (Linux < 5.3) this is a 10 ms poll.
    ::poll(&entry, pidfd.valid() ? 1 : 0,
           static_cast<int>(pidfd.valid() ? left.count() : std::min<int64_t>(left.count(), 10)));
  }
}

void Child::kill(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

Result<Captured> run_captured(SpawnOptions options, Duration timeout) {
  constexpr size_t kMaxOutput = size_t{64} * 1024;
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe.error();
  options.descriptors.emplace_back(1, pipe->write.get());
  options.descriptors.emplace_back(2, pipe->write.get());
  Result<Child> child = spawn(options);
  if (!child) return child.error();
  pipe->write.reset();
  Captured captured;
  const Instant deadline = now() + timeout;
  std::array<char, 4096> buffer{};
  const auto keep = [&](ssize_t n) {
    captured.output.append(buffer.data(), std::min(static_cast<size_t>(n), kMaxOutput - captured.output.size()));
  };
  // The program's end is the fact waited for; a grandchild that keeps the pipe open must not delay it.
  while (child->running()) {
    const Duration left = until(deadline);
    if (left == Duration::zero()) {
      captured.timed_out = true;
      child->kill(SIGKILL);
      if (const auto status = child->wait(Duration(5000))) captured.status = *status;
      break;
    }
    pollfd entry{pipe->read.get(), POLLIN, 0};
    if (::poll(&entry, 1, static_cast<int>(std::min<int64_t>(left.count(), 20))) > 0) {
      const ssize_t n = ::read(pipe->read.get(), buffer.data(), buffer.size());
      if (n > 0) keep(n);
      if (n <= 0) {
        if (const auto status = child->wait(until(deadline))) captured.status = *status;
      }
    }
    if (const auto status = child->poll()) captured.status = *status;
  }
  set_nonblocking(pipe->read.get(), true).ok();
  ssize_t n = 0;
  while (captured.output.size() < kMaxOutput && (n = ::read(pipe->read.get(), buffer.data(), buffer.size())) > 0)
    keep(n);
  return captured;
}

std::optional<std::string> find_program(const std::string& name) {
  const auto usable = [](const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return usable(name) ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  folders += ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  size_t start = 0;
  while (start <= folders.size()) {
    const size_t end = std::min(folders.find(':', start), folders.size());
    const std::string folder = folders.substr(start, end - start);
    start = end + 1;
    if (folder.empty() || folder[0] != '/') continue;  // never a program from the cwd
    std::string candidate = folder + "/" + name;
    if (usable(candidate)) return candidate;
  }
  return std::nullopt;
}

namespace {

std::string boot_id() {
  const Result<std::string> id = read_file("/proc/sys/kernel/random/boot_id");
  return id ? id->substr(0, 8) : std::string("unknown0");
}

// Start time and state of a process; nothing when there is none.
std::optional<std::pair<uint64_t, char>> start_of(pid_t pid) {
  const Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return std::nullopt;
  // The command name may hold blanks and parentheses: fields count from the last ')'.
  const size_t close = stat->rfind(')');
  if (close == std::string::npos || close + 2 >= stat->size()) return std::nullopt;
  const char state = (*stat)[close + 2];
  size_t at = close + 2;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = stat->find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  return std::pair{std::strtoull(stat->c_str() + at + 1, nullptr, 10), state};
}

}  // namespace

ProcessIdentity ProcessIdentity::self() {
  ProcessIdentity identity;
  identity.pid = ::getpid();
  if (const auto start = start_of(identity.pid)) identity.start_ticks = start->first;
  identity.boot = boot_id();
  return identity;
}

bool ProcessIdentity::alive() const {
  if (boot != boot_id()) return false;
  const auto start = start_of(pid);
  return start && start->first == start_ticks && start->second != 'Z' && start->second != 'X';
}

}  // namespace bashcell::base
