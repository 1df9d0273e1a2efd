#include "supervisor/runner.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include "supervisor/fork_steps.h"
#include "supervisor/runner_report.h"
#include "supervisor/sealed_text.h"
#include "supervisor/shell.h"
#include "supervisor/shell_fds.h"
#include "supervisor/shell_program.h"

namespace bashcell::supervisor {

namespace {

struct ShellFds {
  int output = -1;
  int late = -1;
  int script = -1;
  int state = -1;
  int save = -1;
  int go = -1;
  int boot = -1;
  int alarm = -1;
  int reports = -1;
};

// In the child of vfork(): its memory is that of the runner.
[[noreturn]] void become_bash(ShellProgram& program, const ShellFds& fds) {
  become_plain_process();
  const int null = ::open("/dev/null", O_RDONLY);
  place(null, 0);
  place(fds.output, 1);
  place(fds.output, 2);
  if (fds.late >= 0) place(fds.late, kLateFd);
  place(fds.script, kScriptFd);
  place(fds.state, kStateFd);
  place(fds.save, kSaveFd);
  place(fds.go, kGoFd);
  place(fds.boot, kBootFd);
  place(fds.alarm, kAlarmFd);
  if (null > 2) ::close(null);
  program.execute();
  send_report(fds.reports, RunnerReport{RunnerReport::kNoShell, errno});
  ::_exit(127);
}

// The runner's whole life.
[[noreturn]] void run(const ShellPaths& paths, const ShellFds& fds) {
  become_runner();
  ShellProgram program(paths.bash, paths.run_folder);
  const pid_t bash = ::vfork();  // a copy of our memory would be made to be thrown away
  if (bash == 0) become_bash(program, fds);
  if (bash < 0) send_report(fds.reports, RunnerReport{RunnerReport::kNoShell, errno});
  for (const int fd : {fds.output, fds.script, fds.state, fds.save, fds.go, fds.boot, fds.alarm}) ::close(fd);
  reap_all([&](pid_t pid, int status) {
    if (pid == bash) send_report(fds.reports, RunnerReport{RunnerReport::kEnded, status});
  });
}

std::array<int, kMostForkFds> in_order(const ShellFds& fds) {
  return {fds.output, fds.script, fds.state, fds.save, fds.go, fds.boot, fds.alarm, fds.reports, fds.late};
}

int unread_bytes(int pipe) {
  int unread = 0;
  return ::ioctl(pipe, FIONREAD, &unread) == 0 ? unread : 0;
}

}  // namespace

base::Result<ShellCommons> ShellCommons::make(const ShellPaths& paths) {
  base::Result<base::UniqueFd> boot = sealed_text("boot", boot_text(paths.run_folder));
  if (!boot) return boot.error();
  base::Result<base::UniqueFd> alarm = sealed_text("alarm", "");
  if (!alarm) return alarm.error();
  return ShellCommons{.boot = std::move(*boot), .alarm = std::move(*alarm), .fork_server = {}};
}

base::Result<std::shared_ptr<const Snapshot>> Snapshot::make(ShellState state) {
  const RestoreText text = restore_text(state);
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->state = std::move(state);
  base::Result<base::UniqueFd> restore = sealed_text("state", text.state);
  if (!restore) return restore.error();
  snapshot->restore = std::move(*restore);
  if (!text.late.empty()) {
    base::Result<base::UniqueFd> late = sealed_text("late", text.late);
    if (!late) return late.error();
    snapshot->late = std::move(*late);
  }
  return std::shared_ptr<const Snapshot>(std::move(snapshot));
}

base::Result<Runner> Runner::start_shell(const ShellPaths& paths, ShellCommons& commons,
                                         std::shared_ptr<const Snapshot> start, int* error_number) {
  Runner runner;
  runner.start = std::move(start);
  base::Result<base::UniqueFd> script = make_memfd("script");
  base::Result<base::Pipe> output = base::make_pipe();
  base::Result<base::Pipe> saved = base::make_pipe();
  base::Result<base::Pipe> go = base::make_pipe();
  base::Result<base::Pipe> reports = base::make_pipe();
  *error_number = errno;
  if (!script) return script.error();
  for (const auto* pipe : {&output, &saved, &go, &reports}) {
    if (!*pipe) return pipe->error();
  }
  ShellFds fds{.output = output->write.get(),
               .late = runner.start->late.get(),
               .script = script->get(),
               .state = runner.start->restore.get(),
               .save = saved->write.get(),
               .go = go->read.get(),
               .boot = commons.boot.get(),
               .alarm = commons.alarm.get(),
               .reports = reports->write.get()};
  if (commons.fork_server.ready()) {
    const std::optional<pid_t> forked = commons.fork_server.fork(in_order(fds));
    // A runner of ours may be on its way even so: it must not share the pipes with another.
    if (!forked) return start_shell(paths, commons, std::move(runner.start), error_number);
    runner.pid = *forked;
  } else {
    runner.pid = ::fork();
    if (runner.pid == 0) {
      keep_only(
          {&fds.output, &fds.late, &fds.script, &fds.state, &fds.save, &fds.go, &fds.boot, &fds.alarm, &fds.reports});
      run(paths, fds);
    }
  }
  *error_number = errno;
  if (runner.pid < 0) return base::errno_error("cannot start a process");
  runner.reports = std::move(reports->read);
  runner.output = std::move(output->read);
  runner.saved = std::move(saved->read);
  runner.script = std::move(*script);
  runner.go = std::move(go->write);
  runner.go_read = std::move(go->read);
  for (const base::UniqueFd* fd : {&runner.reports, &runner.output, &runner.saved}) {
    if (const base::Result<void> set = base::set_nonblocking(fd->get(), true); !set) return set.error();
  }
  return runner;
}

base::Result<void> Runner::release(std::string_view prefix, std::string_view script_text) {
  if (const base::Result<void> written = base::write_all(script.get(), prefix); !written) return written;
  if (const base::Result<void> written = base::write_all(script.get(), script_text); !written) return written;
  seal(script.get());
  script.reset();
  const base::Result<void> written = base::write_all(go.get(), go_text());
  go.reset();
  return written;
}

bool Runner::tampered() const {
  return unread_bytes(go_read.get()) > 0 || unread_bytes(output.get()) > 0 || unread_bytes(saved.get()) > 0;
}

bool Runner::script_untouched() const { return unread_bytes(go_read.get()) > 0; }

}  // namespace bashcell::supervisor
