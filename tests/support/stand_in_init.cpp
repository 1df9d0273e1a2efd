// A PID 1 for tests of the engine alone: greets over descriptor 3, then runs each line it is sent with /bin/bash and
// answers with what that printed, followed by "\n=N\n" with the exit code. Ends when the stream closes. Built static.

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void say(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(3, text, size);
    if (n <= 0) _exit(1);
    text += n;
    size -= static_cast<size_t>(n);
  }
}

int run(const char* line) {
  int out[2];
  if (::pipe(out) != 0) return 250;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], 1);
    ::dup2(out[1], 2);
    ::close(3);
    ::close(out[0]);
    ::close(out[1]);
    ::execl("/bin/bash", "bash", "-c", line, nullptr);
    _exit(251);
  }
  ::close(out[1]);
  char buffer[4096];
  for (ssize_t n; (n = ::read(out[0], buffer, sizeof buffer)) > 0;) say(buffer, static_cast<size_t>(n));
  ::close(out[0]);
  int status = 252 << 8;
  if (child > 0) ::waitpid(child, &status, 0);
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main() {
  ::signal(SIGPIPE, SIG_IGN);
  const char greeting[] = "hello\n";
  fprintf(stderr, "stand-in says hello\n");
  say(greeting, sizeof greeting - 1);
  static char line[64 * 1024];
  size_t length = 0;
  for (ssize_t n; (n = ::read(3, line + length, sizeof line - 1 - length)) > 0;) {
    length += static_cast<size_t>(n);
    for (char* end; (end = static_cast<char*>(memchr(line, '\n', length))) != nullptr;) {
      *end = '\0';
      char reply[32];
      const int size = snprintf(reply, sizeof reply, "\n=%d\n", run(line));
      say(reply, static_cast<size_t>(size));
      const auto used = static_cast<size_t>(end + 1 - line);
      memmove(line, line + used, length - used);
      length -= used;
    }
  }
  return 0;
}
