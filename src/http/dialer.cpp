#include "http/dialer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/message_file.h"
#include "base/unix_socket.h"
#include "http/shown.h"

namespace bashcell::http {

namespace {

std::string last_line(const base::UniqueFd& errors) {
  const std::string text = base::read_messages(errors);
  std::string_view rest = base::trimmed(text);
  const size_t newline = rest.find_last_of("\r\n");
  if (newline != std::string_view::npos) rest.remove_prefix(newline + 1);
  return shown(rest, 300);
}

std::string temporary_folder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  return !error && folder.is_absolute() ? folder.string() : "/tmp";
}

std::vector<std::string> own_environment() {
  std::vector<std::string> list;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) list.emplace_back(*entry);
  return list;
}

}  // namespace

Dialer::~Dialer() {
  for (auto& [fd, command] : commands_) end(std::move(command));
}

void Dialer::clear() {
  failure_.reset();
  last_words_.clear();
}

// A socket file in a folder of its own, which nobody else can look into and which is gone at once; what is left of it
// is a descriptor.
base::Result<void> Dialer::make_meeting_point() {
  std::string folder = temporary_folder() + "/bashcell-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return base::errno_error("cannot make a folder like " + folder);
  const std::string path = folder + "/s";
  base::UniqueFd socket = base::listen_unix(path, 4);
  base::UniqueFd door(socket.valid() ? ::open(path.c_str(), O_PATH | O_CLOEXEC) : -1);
  const base::Error error = base::errno_error("cannot make a socket in " + folder);
  ::unlink(path.c_str());
  ::rmdir(folder.c_str());
  if (!door.valid()) return error;
  meeting_ = std::move(socket);
  door_ = std::move(door);
  return {};
}

std::string Dialer::meeting_point() {
  if (!door_.valid() && !make_meeting_point()) return {};
  return fmt::format("/proc/self/fd/{}", door_.get());
}

int Dialer::open(int family, int type, int protocol) {
  clear();
  if (!target_.command.empty() && !door_.valid()) {
    failure_ =
        base::Error{fmt::format("cannot reach {}: there can be no socket in {}", target_.name, temporary_folder())};
    return -1;
  }
  const int fd = ::socket(family, type | SOCK_CLOEXEC, protocol);
  if (fd < 0) failure_ = base::errno_error("cannot make a socket for " + target_.name);
  if (!target_.command.empty()) unserved_ = fd;
  return fd;
}

void Dialer::serve() {
  while (unserved_ >= 0) {
    base::UniqueFd connection(::accept4(meeting_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.valid()) return;
    // Processes of the same user could get here through /proc: only this one's connections count.
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid != ::getpid()) continue;
    if (const auto started = start_command(std::move(connection)); !started) failure_ = started.error();
    unserved_ = -1;
  }
}

base::Result<void> Dialer::start_command(base::UniqueFd connection) {
  const std::optional<std::string> program = base::find_program(target_.command[0]);
  if (!program) {
    return base::Error{fmt::format("cannot reach {}: there is no program {}", target_.name, target_.command[0])};
  }
  base::Result<base::UniqueFd> file = base::make_message_file();
  base::UniqueFd errors = file ? std::move(*file) : base::UniqueFd();
  base::SpawnOptions options;
  options.argv = target_.command;
  options.argv[0] = *program;
  options.environment = own_environment();
  options.descriptors = {{0, connection.get()}, {1, connection.get()}};
  if (errors.valid()) options.descriptors.emplace_back(2, errors.get());
  options.new_session = true;  // no terminal to ask a person on, and no Ctrl-C from it
  base::Result<base::Child> child = base::spawn(options);
  if (!child) return child.error();
  commands_.insert_or_assign(unserved_, Command{std::move(*child), std::move(errors)});
  return {};
}

void Dialer::close(int fd) {
  ::close(fd);
  if (fd == unserved_) unserved_ = -1;
  const auto found = commands_.find(fd);
  if (found == commands_.end()) return;
  Command command = std::move(found->second);
  commands_.erase(found);
  end(std::move(command));
}

void Dialer::listen(int fd) {
  const auto found = commands_.find(fd);
  if (found != commands_.end()) hear(found->second);
}

void Dialer::hear(Command& command) {
  constexpr base::Duration kLeave{100};
  const std::optional<base::ExitStatus> status = command.child.wait(kLeave);
  last_words_ = command.errors.valid() ? last_line(command.errors) : std::string();
  // Success is how it ends when its input does: nothing to tell.
  if (!last_words_.empty() || !status || (!status->signaled && status->code == 0)) return;
  last_words_ =
      fmt::format("{} ended with {} {}", target_.command[0], status->signaled ? "signal" : "exit code", status->code);
}

void Dialer::end(Command command) {
  constexpr base::Duration kTerminate{300};
  if (command.child.running()) hear(command);
  command.child.kill(SIGTERM);  // nothing when it was reaped
  if (command.child.wait(kTerminate) || !command.child.running()) return;
  command.child.kill(SIGKILL);
  command.child.wait(base::Duration(5'000));
}

}  // namespace bashcell::http
