#include "base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "../../support/temporary_folder.h"

namespace fs = std::filesystem;
using namespace bashcell::base;
using namespace std::chrono_literals;

namespace {

SpawnOptions shell(const std::string& script) {
  SpawnOptions options;
  options.argv = {"/bin/sh", "-c", script};
  options.environment = {"PATH=/usr/bin:/bin"};
  return options;
}

std::string output_of(SpawnOptions options) { return run_captured(std::move(options), 10s).value().output; }

std::string read_all(int fd) {
  std::string text;
  char buffer[1000];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(n));
  return text;
}

}  // namespace

TEST_CASE("exit codes and signals are told apart") {
  for (const int code : {0, 1, 2, 126, 127, 128, 255}) {
    Child child = spawn(shell("exit " + std::to_string(code))).value();
    const auto status = child.wait(10s);
    REQUIRE(status.has_value());
    CHECK(!status->signaled);
    CHECK(status->code == code);
    CHECK(child.pid() == -1);
    CHECK(!child.wait(0ms).has_value());
  }
  Child child = spawn(shell("kill -9 $$")).value();
  const auto status = child.wait(10s);
  REQUIRE(status.has_value());
  CHECK(status->signaled);
  CHECK(status->code == SIGKILL);
}

TEST_CASE("a child that goes on running is neither waited for nor lost") {
  Child child = spawn(shell("exec sleep 100")).value();
  CHECK(child.running());
  CHECK(!child.poll().has_value());
  CHECK(!child.wait(1ms).has_value());
  Child moved = std::move(child);
  CHECK(!child.running());  // NOLINT: what is left of it is the point
  moved.kill(SIGTERM);
  const auto status = moved.wait(10s);
  REQUIRE(status.has_value());
  CHECK(status->code == SIGTERM);
  moved.kill(SIGTERM);  // reaped: nobody gets it
}

TEST_CASE("a child whose end somebody else has seen has ended all the same") {
  Child child = spawn(shell("exit 3")).value();
  REQUIRE(::waitpid(child.pid(), nullptr, 0) == child.pid());
  CHECK(child.poll().has_value());
  CHECK(!child.running());
}

TEST_CASE("nothing is inherited but what is named") {
  ::setenv("BASHCELL_TEST_SECRET", "secret", 1);
  CHECK(output_of(shell("env | grep -c -v -e ^PWD= -e ^PATH= -e ^_=; echo $BASHCELL_TEST_SECRET")) == "0\n\n");
  ::unsetenv("BASHCELL_TEST_SECRET");
  const UniqueFd open_here(::open("/dev/null", O_RDONLY));  // not close-on-exec
  SpawnOptions options = shell("ls /proc/$$/fd; readlink /proc/$$/fd/0");
  CHECK(output_of(options) == "0\n1\n2\n/dev/null\n");
}

TEST_CASE("the signal mask and ignored signals of the parent do not reach the child") {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  auto* const pipe_before = ::signal(SIGPIPE, SIG_IGN);
  SpawnOptions options;
  options.argv = {"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"};
  const std::string output = output_of(options);
  ::signal(SIGPIPE, pipe_before);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  // Signals 32 and 33 are glibc's own: posix_spawn leaves them ignored.
  CHECK((output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000180000000\n" ||
         output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"));
}

TEST_CASE("descriptors are mapped even when numbers cross") {
  Pipe one = make_pipe().value();
  Pipe two = make_pipe().value();
  const int a = one.write.get();
  const int b = two.write.get();
  // Each is wanted under the other's number, one of them a second time, and one as stdout.
  SpawnOptions options = shell("echo to-a >&" + std::to_string(b) + "; echo to-b >&" + std::to_string(a) +
                               "; echo again >&9; echo out; ls /proc/$$/fd");
  options.descriptors = {{a, b}, {b, a}, {9, b}, {1, b}};
  Child child = spawn(options).value();
  one.write.reset();
  two.write.reset();
  CHECK(read_all(one.read.get()) == "to-a\n");
  std::string listing = "0\n1\n2\n";
  for (const int fd :
       {std::min({a, b, 9}), std::max(std::min(a, b), std::min(std::max(a, b), 9)), std::max({a, b, 9})}) {
    listing += std::to_string(fd) + "\n";
  }
  CHECK(read_all(two.read.get()) == "to-b\nagain\nout\n" + listing);
  CHECK(child.wait(10s)->code == 0);
}

TEST_CASE("folder and session are as asked") {
  SpawnOptions options =
      shell("pwd; read -r pid rest </proc/self/stat; echo $(( $(cut -d' ' -f6 /proc/$$/stat) == $$ ))");
  options.directory = "/usr";
  options.new_session = true;
  CHECK(output_of(options) == "/usr\n1\n");
}

TEST_CASE("a program that cannot be started is an error that names it") {
  SpawnOptions options;
  options.argv = {"/no/such/program"};
  CHECK(spawn(options).error().message == "cannot start /no/such/program: No such file or directory");
  options = shell("true");
  options.descriptors = {{3, 9999}};
  CHECK(!spawn(options).ok());
}

TEST_CASE("captured output is both streams, cut at 64 KiB without holding up the program") {
  const Captured both = run_captured(shell("echo out; echo err >&2; exit 4"), 10s).value();
  CHECK(both.output == "out\nerr\n");
  CHECK(both.status.code == 4);
  CHECK(!both.timed_out);
  const Captured flood = run_captured(shell("head -c 1000000 /dev/zero; exit 5"), 10s).value();
  CHECK(flood.status.code == 5);
  CHECK(flood.output.size() == 64U * 1024U);
}

TEST_CASE("a captured program is killed at its timeout, and what it printed is kept") {
  const Instant start = now();
  const Captured captured = run_captured(shell("echo before; exec sleep 100"), 300ms).value();
  CHECK(captured.timed_out);
  CHECK(captured.output == "before\n");
  CHECK(captured.status.signaled);
  CHECK(now() - start < 10s);
}

TEST_CASE("a grandchild that keeps the pipe open does not delay the result") {
  const Instant start = now();
  const Captured captured = run_captured(shell("sleep 20 & echo $!"), 15s).value();
  CHECK(!captured.timed_out);
  CHECK(now() - start < 10s);
  ::kill(static_cast<pid_t>(std::stol(captured.output)), SIGKILL);
}

TEST_CASE("a grandchild that goes on printing does not delay the result") {
  const Instant start = now();
  const Captured captured = run_captured(shell("yes & exit 3"), 15s).value();  // yes ends with the pipe
  CHECK(!captured.timed_out);
  CHECK(captured.status.code == 3);
  CHECK(captured.output.size() <= 64U * 1024U);
  CHECK(now() - start < 10s);
}

TEST_CASE("programs are found in PATH, then in the usual folders, never in the current one") {
  const bashcell::TemporaryFolder tmp;
  const auto make = [&](const std::string& name, bool executable) {
    const fs::path path = tmp.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
    if (executable) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
    return path.string();
  };
  make("one/tool", false);
  const std::string tool = make("two/tool", true);
  fs::create_directories(tmp.path() / "two/folder");
  const char* path_before = ::getenv("PATH");
  const std::string saved = path_before != nullptr ? path_before : "";
  ::setenv("PATH", ((tmp.path() / "one").string() + "::two:" + (tmp.path() / "two").string()).c_str(), 1);
  CHECK(find_program("tool") == tool);
  CHECK(find_program("folder") == std::nullopt);
  CHECK(find_program("no-such-tool") == std::nullopt);
  CHECK(find_program("sh").has_value());
  CHECK(find_program(tool) == tool);
  CHECK(find_program((tmp.path() / "one/tool").string()) == std::nullopt);
  ::setenv("PATH", saved.c_str(), 1);
}

TEST_CASE("a process identity is that process only, while it lives") {
  const ProcessIdentity self = ProcessIdentity::self();
  CHECK(self.pid == ::getpid());
  CHECK(self.start_ticks > 0);
  CHECK(self.boot.size() == 8);
  CHECK(self.alive());
  ProcessIdentity other = self;
  ++other.start_ticks;
  CHECK(!other.alive());
  other = self;
  other.boot = "00000000";
  CHECK(!other.alive());
  other = self;
  other.pid = 0;
  CHECK(!other.alive());
}

TEST_CASE("a zombie counts as gone") {
  // The child reports its own identity, then ends; it is not reaped until it has been looked at.
  Pipe pipe = make_pipe().value();
  SpawnOptions options = shell("cut -d' ' -f22 /proc/$$/stat");
  options.descriptors = {{1, pipe.write.get()}};
  Child child = spawn(options).value();
  pipe.write.reset();
  ProcessIdentity identity = ProcessIdentity::self();
  identity.pid = child.pid();
  identity.start_ticks = std::stoull(read_all(pipe.read.get()));
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOWAIT) == 0);
  CHECK(!identity.alive());
  CHECK(child.wait(10s).has_value());
  CHECK(!identity.alive());
}
