#include "supervisor/lock_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/file_lock.h"
#include "supervisor/lock_holder.h"

namespace bashcell::supervisor {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;
constexpr unsigned kAsUmaskSays = 0666;

int fail(int status, const std::string& why) {
  static_cast<void>(base::write_all(2, "cell: " + why + "\n"));
  return status;
}

struct Request {
  std::string file;
  base::Duration wait = base::kLockPatience;
  std::vector<std::string> command;
  std::string problem;
};

Request read_request(const std::vector<std::string>& arguments) {
  Request request;
  size_t i = 0;
  bool named = false;
  for (; i < arguments.size() && arguments[i] != "--" && request.problem.empty(); ++i) {
    if (arguments[i] == "--wait") {
      const auto wait = wait_option(i + 1 < arguments.size() ? arguments[i + 1] : "");
      if (wait)
        request.wait = *wait;
      else
        request.problem = wait.error().message;
      ++i;
    } else if (named) {
      request.problem = "what is '" + arguments[i] + "'? The command goes behind --";
    } else {
      request.file = arguments[i];
      named = true;
    }
  }
  if (!request.problem.empty()) return request;
  if (!named) request.problem = "lock needs a file";
  if (i < arguments.size()) request.command.assign(arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
  if (named && request.command.empty()) request.problem = "lock needs a command behind --";
  return request;
}

// The signals that end a job, and the end of a child, as something to poll. What they do by themselves is blocked.
struct Signals {
  sigset_t before{};
  base::UniqueFd fd;
};

Signals take_signals() {
  Signals signals;
  sigset_t mine{};
  ::sigemptyset(&mine);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::sigaddset(&mine, signal);
  ::sigprocmask(SIG_BLOCK, &mine, &signals.before);
  signals.fd.reset(::signalfd(-1, &mine, SFD_CLOEXEC | SFD_NONBLOCK));
  return signals;
}

[[noreturn]] void become(const std::vector<std::string>& command, const Signals& signals, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotRun);
  ::sigprocmask(SIG_SETMASK, &signals.before, nullptr);
  std::vector<std::string> copies = command;  // execvp() takes what it could change
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int problem = errno;
  const bool missing = problem == ENOENT;
  ::_exit(fail(missing ? kNotFound : kCannotRun,
               command[0] + ": " + (missing ? "command not found" : std::strerror(problem))));
}

// Waits for the child, serves those who ask for the lock, and passes signals on.
int wait_for(pid_t child, const Signals& signals, LockHolder* holder) {
  std::array<pollfd, 2> ready{{{signals.fd.get(), POLLIN, 0}, {holder != nullptr ? holder->fd() : -1, POLLIN, 0}}};
  for (;;) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    ::poll(ready.data(), ready.size(), -1);
    signalfd_siginfo info{};
    while (::read(signals.fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo != SIGCHLD) ::kill(child, static_cast<int>(info.ssi_signo));
    }
    if (holder != nullptr && ready[1].revents != 0) holder->answer();
  }
}

int run_under(const Request& request, LockHolder* holder) {
  const Signals signals = take_signals();
  if (!signals.fd.valid()) return fail(kFailed, base::errno_error("cannot watch the command").message);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(kFailed, base::errno_error("cannot start the command").message);
  if (child == 0) become(request.command, signals, self);
  return wait_for(child, signals, holder);
}

}  // namespace

base::Result<base::Duration> wait_option(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  constexpr double kMost = 86'400;
  if (text.empty() || *end != '\0' || !(seconds >= 0 && seconds <= kMost)) {
    return base::Error{"--wait is '" + text + "'; it must be a number of seconds, 0 to 86400"};
  }
  return base::Duration(std::llround(seconds * 1000));
}

std::string busy_text(const std::string& file, base::Duration waited) {
  return file + " is locked by somebody else" +
         (waited.count() > 0 ? ", for " + base::seconds_text(waited) + " by now" : "") + "; ";
}

int lock_command(const std::vector<std::string>& arguments) {
  const Request request = read_request(arguments);
  if (!request.problem.empty()) {
    return fail(kWrongUse, request.problem + "\nusage: cell lock FILE [--wait SECONDS] -- COMMAND [ARGUMENTS]");
  }
  const base::Result<std::string> file = canonical_path(request.file);
  if (!file) return fail(kFailed, file.error().message + "; the command was not run");

  const char* const outer = ::getenv(kHoldersVariable);  // NOLINT(concurrency-mt-unsafe): there is one thread
  const std::string holders = outer == nullptr ? "" : outer;
  // The command that holds it is waiting for us.
  if (HeldAbove::find(*file, holders)) return run_under(request, nullptr);

  const base::LockAttempt lock = base::take_lock(*file, request.wait, {.create = true, .mode = kAsUmaskSays});
  if (const base::Error* error = std::get_if<base::Error>(&lock)) {
    return fail(kFailed, error->message + "; the command was not run");
  }
  if (std::holds_alternative<base::LockBusy>(lock)) {
    return fail(kLockBusy, busy_text(request.file, request.wait) + "the command was not run");
  }
  LockHolder holder(*file);
  if (const base::Result<void> listening = holder.listen(); !listening) return fail(kFailed, listening.error().message);
  ::setenv(kHoldersVariable, holder.environment(holders).c_str(), 1);  // NOLINT(concurrency-mt-unsafe): as above
  return run_under(request, &holder);
}

}  // namespace bashcell::supervisor
