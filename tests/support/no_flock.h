#pragma once
// A process for which no file system has locks: the kernel itself answers each of its flock(2) with an error, as that
// of a network file system does whose server knows none.

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/clock.h"
#include "base/unique_fd.h"

namespace bashcell {

// What flock(2) says on such file systems.
inline constexpr std::array kNoFlock = {ENOLCK, ENOSYS, EOPNOTSUPP};

// For good, for this process and those that it will start.
inline bool refuse_flock(int problem) {
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_flock, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(problem)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Threads that were let go may still hold what a child would wait for.
inline void wait_for_other_threads() {
  const auto count = [] {
    std::filesystem::directory_iterator threads("/proc/self/task");
    return std::distance(begin(threads), end(threads));
  };
  const base::Instant end = base::now() + std::chrono::seconds(10);
  while (count() > 1 && base::now() < end) ::usleep(1000);
}

// What `work`, which returns a text, has to say in a child of its own for which that is so.
template <typename Work>
std::string without_flock(int problem, Work work) {
  wait_for_other_threads();
  base::Pipe pipe = base::make_pipe().value();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) {
    const std::string said = refuse_flock(problem) ? work() : "flock(2) cannot be refused here";
    ::_exit(base::write_all(pipe.write.get(), said) ? 0 : 1);
  }
  pipe.write.reset();
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(pipe.read.get(), buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<size_t>(got));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? said : said + " (the child ended with " + std::to_string(status) + ")";
}

}  // namespace bashcell
