#include "supervisor/filter_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "supervisor/clean_stream.h"
#include "supervisor/fork_steps.h"
#include "supervisor/runner_report.h"
#include "supervisor/sealed_text.h"

namespace bashcell::supervisor {

namespace {

constexpr int kTextFd = 250;
constexpr rlim_t kMemory = rlim_t{256} << 20;  // of each of its processes

struct FilterFds {
  int input = -1;
  int text = -1;
  int output = -1;
  int reports = -1;
};

// A reader that has seen enough is no failure; one that died is, and says so itself.
[[noreturn]] void clean(int input, int output) {
  become_plain_process();
  ::signal(SIGPIPE, SIG_IGN);
  ::_exit(clean_stream(input, output) == CleanEnd::kFailed ? 1 : 0);
}

[[noreturn]] void become_filter(const ShellPaths& paths, int input, const FilterFds& fds) {
  become_plain_process();
  const rlimit memory{kMemory, kMemory};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  place(input, 0);
  place(fds.output, 1);
  place(null, 2);
  place(fds.text, kTextFd);
  if (::chdir("/") == 0) {
    std::string bash = paths.bash;
    std::array<char, 10> norc{"--norc"};
    std::array<char, 16> noprofile{"--noprofile"};
    std::array<char, 4> option{"-o"};
    std::array<char, 16> pipefail{"pipefail"};
    std::array<char, 32> text{"/proc/self/fd/250"};
    std::array<char, 48> path{"PATH=/usr/local/bin:/usr/bin:/bin"};
    std::array<char, 16> language{"LANG=C.UTF-8"};
    const std::array<char*, 7> argv{bash.data(),     norc.data(), noprofile.data(), option.data(),
                                    pipefail.data(), text.data(), nullptr};
    const std::array<char*, 3> environment{path.data(), language.data(), nullptr};
    ::execve(paths.bash.c_str(), argv.data(), environment.data());
  }
  ::_exit(127);
}

[[noreturn]] void run(const ShellPaths& paths, const FilterFds& fds) {
  become_runner();
  std::array<int, 2> between{};
  if (::pipe2(between.data(), O_CLOEXEC) != 0) {
    send_report(fds.reports, FilterReport{FilterReport::kNotStarted, errno});
    ::_exit(0);
  }
  const pid_t cleaner = ::fork();
  if (cleaner == 0) {
    for (const int fd : {fds.text, fds.output, fds.reports, between[0]}) ::close(fd);
    clean(fds.input, between[1]);
  }
  const pid_t filter = cleaner > 0 ? ::fork() : -1;
  if (filter == 0) become_filter(paths, between[0], fds);
  if (filter < 0) send_report(fds.reports, FilterReport{FilterReport::kNotStarted, errno});
  for (const int fd : {fds.input, fds.text, fds.output, between[0], between[1]}) ::close(fd);
  reap_all([&](pid_t pid, int status) {
    if (pid == cleaner) send_report(fds.reports, FilterReport{FilterReport::kCleanerEnded, status});
    if (pid == filter) send_report(fds.reports, FilterReport{FilterReport::kFilterEnded, status});
  });
}

}  // namespace

base::Result<Runner> start_filter(const ShellPaths& paths, const base::UniqueFd& spill, std::string_view filter) {
  Runner runner;
  base::Result<base::UniqueFd> text = sealed_text("filter", filter);
  base::Result<base::Pipe> output = base::make_pipe();
  base::Result<base::Pipe> reports = base::make_pipe();
  if (!text) return text.error();
  for (const auto* pipe : {&output, &reports}) {
    if (!*pipe) return pipe->error();
    if (const auto set = base::set_nonblocking((*pipe)->read.get(), true); !set) return set.error();
  }
  if (::lseek(spill.get(), 0, SEEK_SET) != 0) return base::errno_error("cannot read the output again");
  FilterFds fds{
      .input = spill.get(), .text = text->get(), .output = output->write.get(), .reports = reports->write.get()};
  runner.pid = ::fork();
  if (runner.pid == 0) {
    keep_only({&fds.input, &fds.text, &fds.output, &fds.reports});
    run(paths, fds);
  }
  if (runner.pid < 0) return base::errno_error("cannot start a process");
  runner.reports = std::move(reports->read);
  runner.output = std::move(output->read);
  return runner;
}

}  // namespace bashcell::supervisor
