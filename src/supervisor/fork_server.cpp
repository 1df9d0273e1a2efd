#include "supervisor/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "supervisor/fork_steps.h"
#include "supervisor/sealed_text.h"
#include "supervisor/shell_fds.h"
#include "supervisor/shell_program.h"

// The shared object, as it was built beside this.
__asm__(
    ".pushsection .rodata\n"
    ".balign 16\n"
    "bashcell_fork_agent:\n"
    ".incbin \"" BASHCELL_FORK_AGENT
    "\"\n"
    "bashcell_fork_agent_end:\n"
    ".popsection\n");
extern "C" const char bashcell_fork_agent[];      // NOLINT: as the assembler knows them
extern "C" const char bashcell_fork_agent_end[];  // NOLINT

namespace bashcell::supervisor {

namespace {

constexpr int kMostStarts = 5;  // in a cell's life; a script that kills it always has its way

std::string_view agent() {
  return {bashcell_fork_agent, static_cast<size_t>(bashcell_fork_agent_end - bashcell_fork_agent)};
}

[[noreturn]] void become_server(ShellProgram& program, int socket, int object) {
  keep_only({&socket, &object});
  become_plain_process();
  ignore_polite_signals();
  place(::open("/dev/null", O_RDONLY), 0);
  place(::open("/dev/null", O_WRONLY), 1);
  place(1, 2);
  place(socket, kForkSocketFd);
  place(object, kForkAgentFd);
  program.execute();
  ::_exit(127);
}

}  // namespace

void ForkServer::start(const std::string& bash, const std::string& run_folder) {
  if (pid_ > 0 || starts_ >= kMostStarts || (starts_ > 0 && !was_ready_)) return;
  ++starts_;
  ready_ = was_ready_ = false;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  base::UniqueFd ours(ends[0]);
  const base::UniqueFd theirs(ends[1]);
  const base::Result<base::UniqueFd> object = sealed_text("fork-agent", agent());
  if (!object) return;
  ShellProgram program(bash, run_folder, {"LD_PRELOAD=/proc/self/fd/" + std::to_string(kForkAgentFd), "LD_BIND_NOW=1"});
  const pid_t pid = ::fork();
  if (pid == 0) become_server(program, theirs.get(), object->get());
  if (pid < 0) return;
  pid_ = pid;
  socket_ = std::move(ours);
}

bool ForkServer::ready() {
  if (ready_ || !socket_.valid()) return ready_;
  ForkAnswer answer;
  const ssize_t size = ::recv(socket_.get(), &answer, sizeof answer, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size != sizeof answer || answer.pid != 0) {
    lose();
    return false;
  }
  return ready_ = was_ready_ = true;
}

std::optional<pid_t> ForkServer::fork(const std::array<int, kMostForkFds>& fds) {
  ForkRequest request{.fds = fds.back() < 0 ? kMostForkFds - 1 : kMostForkFds};
  const size_t bytes = static_cast<size_t>(request.fds) * sizeof(int);
  iovec piece{&request, sizeof request};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostForkFds * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(header), fds.data(), bytes);
  ForkAnswer answer;
  pollfd answered{socket_.get(), POLLIN, 0};
  if (::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof request ||
      ::poll(&answered, 1, static_cast<int>(kPatience.count())) != 1 ||
      ::recv(socket_.get(), &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer || answer.pid == 0) {
    lose();
    return std::nullopt;
  }
  if (answer.pid > 0) return answer.pid;
  errno = -answer.pid;
  return -1;
}

void ForkServer::lose() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  socket_.reset();
  ready_ = false;
}

bool ForkServer::buried(pid_t pid) {
  if (pid_ != pid) return false;
  pid_ = -1;
  lose();
  return true;
}

}  // namespace bashcell::supervisor
