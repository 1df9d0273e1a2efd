// What makes a bash a fork server: a shared object that its dynamic linker loads (LD_PRELOAD) and whose constructor
// runs before main(). It waits for requests there, and forks. Each child goes on into main() as the bash of one call.
//
// Runs inside of whatever bash the cell has, so it wants nothing but a glibc of any age: no C++ runtime, no new
// symbols. Where it cannot run, the process ends, and PID 1 does without it.

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "supervisor/fork_agent/messages.h"
#include "supervisor/runner_report.h"
#include "supervisor/shell_fds.h"

// Of glibc alone: what follows relies on how it calls constructors.
extern "C" const char* gnu_get_libc_version() __attribute__((weak));

namespace bashcell::supervisor {

namespace {

constexpr char kName[] = "bashcell-init";  // NOLINT: as the processes above it are called
constexpr size_t kMostArguments = 256;     // bytes

struct Fds {
  int of[kMostForkFds];  // NOLINT: std::array would be a function call in here
  int count;
  int operator[](ForkFd fd) const { return static_cast<int>(fd) < count ? of[static_cast<int>(fd)] : -1; }
};

// The command line, which the processes that are no bash yet hide: `pkill -f` is for what a script has started.
class CommandLine {
 public:
  CommandLine(int count, char** arguments)
      : at_(arguments[0]), size_(static_cast<size_t>(arguments[count - 1] - at_) + strlen(arguments[count - 1])) {}
  bool hide() {
    if (size_ > kMostArguments || size_ < sizeof kName) return false;
    memcpy(kept_, at_, size_);
    memset(at_, 0, size_);
    memcpy(at_, kName, sizeof kName);
    return true;
  }
  void show() { memcpy(at_, kept_, size_); }

 private:
  char* at_;
  size_t size_;
  char kept_[kMostArguments];  // NOLINT
};

// LD_PRELOAD and LD_BIND_NOW are for this process, not for what scripts start.
void drop_linker_variables(char** environment) {
  char** kept = environment;
  for (char** at = environment; *at != nullptr; ++at) {
    if (strncmp(*at, "LD_", 3) == 0) {
      memset(*at, 0, strlen(*at));
    } else {
      *kept++ = *at;
    }
  }
  *kept = nullptr;
}

// False at the end of the stream.
bool receive(Fds& fds) {
  ForkRequest request;
  iovec piece{&request, sizeof request};
  alignas(cmsghdr) char control[CMSG_SPACE(kMostForkFds * sizeof(int))];  // NOLINT
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    size = recvmsg(kForkSocketFd, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (size != sizeof request || header == nullptr || header->cmsg_type != SCM_RIGHTS) return false;
  fds.count = static_cast<int>((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  memcpy(fds.of, CMSG_DATA(header), static_cast<size_t>(fds.count) * sizeof(int));
  return fds.count == request.fds;
}

bool answer(int pid) {
  const ForkAnswer message{pid};
  return send(kForkSocketFd, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

// Of this process everything but what main() is to find; nothing of the runner is left over.
void become_bash(const Fds& fds) {
  setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  prctl(PR_SET_DUMPABLE, 1);
  prctl(PR_SET_NAME, "bash");
  dup2(fds[ForkFd::kOutput], 1);  // 0 is /dev/null
  dup2(fds[ForkFd::kOutput], 2);
  if (fds[ForkFd::kLate] >= 0) dup2(fds[ForkFd::kLate], kLateFd);
  dup2(fds[ForkFd::kScript], kScriptFd);
  dup2(fds[ForkFd::kState], kStateFd);
  dup2(fds[ForkFd::kSave], kSaveFd);
  dup2(fds[ForkFd::kGo], kGoFd);
  dup2(fds[ForkFd::kBoot], kBootFd);
  dup2(fds[ForkFd::kAlarm], kAlarmFd);
  syscall(SYS_close_range, 3, kAlarmFd - 1, 0);
}

// The runner's whole life (runner.h), as `run` of runner.cpp: returns in the bash below it.
void run(const Fds& fds) {
  close(kForkSocketFd);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t bash = fork();
  if (bash == 0) return become_bash(fds);
  const int reports = fds[ForkFd::kReports];
  if (bash < 0) send_report(reports, RunnerReport{RunnerReport::kNoShell, errno});
  for (int i = 0; i < fds.count; ++i) {
    if (fds.of[i] != reports) close(fds.of[i]);
  }
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid == bash && pid > 0) send_report(reports, RunnerReport{RunnerReport::kEnded, status});
    if (pid < 0 && errno != EINTR) _exit(0);
  }
}

}  // namespace

__attribute__((constructor)) static void serve(int argument_count, char** arguments, char** environment) {
  if (gnu_get_libc_version == nullptr) _exit(1);
  prctl(PR_SET_DUMPABLE, 0);  // scripts have the same uid
  prctl(PR_SET_NAME, kName);
  close(kForkAgentFd);
  drop_linker_variables(environment);
  CommandLine command_line(argument_count, arguments);
  if (!command_line.hide() || !answer(0)) _exit(1);
  for (Fds fds; receive(fds);) {
    // The runner is PID 1's child, as one that PID 1 forks: it reaps it, and knows it by its pid. (Not fork(): the C
    // library has no such flag. What it would bring up to date is used by no runner.)
    const long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      run(fds);
      return command_line.show();
    }
    const int said = pid < 0 ? -errno : static_cast<int>(pid);
    for (int i = 0; i < fds.count; ++i) close(fds.of[i]);
    if (!answer(said)) break;
  }
  _exit(0);
}

}  // namespace bashcell::supervisor
