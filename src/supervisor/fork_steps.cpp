#include "supervisor/fork_steps.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace bashcell::supervisor {

void keep_only(std::initializer_list<int*> fds) {
  int next = kFirstPrivateFd;
  for (int* fd : fds) {
    if (*fd < 0) continue;
    ::dup3(*fd, next, O_CLOEXEC);
    *fd = next++;
  }
  ::close_range(0, kFirstPrivateFd - 1, 0);
  ::close_range(static_cast<unsigned>(next), ~0U, 0);
}

void ignore_polite_signals() {
  for (const int signal :
       {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU}) {
    ::signal(signal, SIG_IGN);
  }
}

void become_runner() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ignore_polite_signals();
  ::signal(SIGCHLD, SIG_DFL);
}

void reap_all(const std::function<void(pid_t pid, int wait_status)>& on_end) {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid > 0) on_end(pid, status);
    if (pid < 0 && errno != EINTR) ::_exit(0);
  }
}

void become_plain_process() {
  ::setsid();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void place(int source, int target) {
  if (source == target) {
    ::fcntl(target, F_SETFD, 0);
  } else {
    ::dup2(source, target);
  }
}

}  // namespace bashcell::supervisor
