#include "commands/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace bashcell::commands {

StopSignals::StopSignals(base::EventLoop& loop, std::function<void(int)> on_signal) : loop_(loop) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  // Before any thread is started: threads inherit the mask.
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  fd_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.valid()) return;
  loop_.watch(fd_.get(), POLLIN, [fd = fd_.get(), act = std::move(on_signal)](short) {
    signalfd_siginfo info{};
    if (::read(fd, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) act(static_cast<int>(info.ssi_signo));
  });
}

StopSignals::~StopSignals() {
  if (fd_.valid()) loop_.unwatch(fd_.get());
}

}  // namespace bashcell::commands
