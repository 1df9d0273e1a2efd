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
#include <cstdlib>
#include <cstring>

#include "base/file_lock.h"
#include "base/process.h"
#include "supervisor/cell_words.h"
#include "supervisor/lock_holder.h"

namespace bashcell::supervisor {

namespace {

constexpr unsigned kAsUmaskSays = 0666;

struct Request {
  std::string file;
  base::Duration wait = base::kLockPatience;
  std::vector<std::string> command;
  std::string problem;
};

Request read_request(const std::vector<std::string>& arguments) {
  Request request;
  bool named = false;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  request.problem = read_words({arguments.begin(), dashes}, request.wait, [&](const std::string& word) {
    if (named) return "what is '" + word + "'? The command goes behind --";
    request.file = word;
    named = true;
    return std::string();
  });
  if (!request.problem.empty()) return request;
  if (!named) request.problem = "lock needs a file";
  if (dashes != arguments.end()) request.command.assign(dashes + 1, arguments.end());
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
  const std::vector<char*> argv = base::argv_of(command);
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
      return shell_status(status);
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
  if (!signals.fd.valid()) return fail(kNotDone, base::errno_error("cannot watch the command").message);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(kNotDone, base::errno_error("cannot start the command").message);
  if (child == 0) become(request.command, signals, self);
  return wait_for(child, signals, holder);
}

}  // namespace

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
  if (!file) return fail(kNotDone, file.error().message + "; the command was not run");

  const char* const outer = ::getenv(kHoldersVariable);  // NOLINT(concurrency-mt-unsafe): there is one thread
  const std::string holders = outer == nullptr ? "" : outer;
  // The command that holds it is waiting for us.
  if (HeldAbove::find(*file, holders)) return run_under(request, nullptr);

  const base::LockOptions options{
      .create = true, .mode = kAsUmaskSays, .cure = "a file in /tmp can stand for it, between calls of this cell"};
  const base::LockAttempt lock = base::take_lock(*file, request.wait, options);
  if (const base::Error* error = std::get_if<base::Error>(&lock)) {
    return fail(kNotDone, error->message + "; the command was not run");
  }
  if (std::holds_alternative<base::LockBusy>(lock)) {
    return fail(kLockBusy, busy_text(request.file, request.wait) + "the command was not run");
  }
  LockHolder holder(*file);
  if (const base::Result<void> listening = holder.listen(); !listening)
    return fail(kNotDone, listening.error().message);
  ::setenv(kHoldersVariable, holder.environment(holders).c_str(), 1);  // NOLINT(concurrency-mt-unsafe): as above
  return run_under(request, &holder);
}

}  // namespace bashcell::supervisor
