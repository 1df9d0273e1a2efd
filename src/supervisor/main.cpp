// bashcell-init: the supervisor of a cell; called as `cell`, the helper command in it; as `no-editor`, what EDITOR
// names.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/unix_socket.h"
#include "supervisor/cell_command.h"
#include "supervisor/supervisor.h"
#include "wire/version.h"

extern char** environ;

namespace bashcell::supervisor {
namespace {

void say(int fd, std::string_view text) {
  if (::write(fd, text.data(), text.size()) < 0) return;
}

int no_editor() {
  say(2,
      "There is no editor here: give the text on the command line instead (git commit -m TEXT, --no-edit, "
      "GIT_SEQUENCE_EDITOR=: for an unchanged rebase list), or write files with cat > FILE <<'EOF'.\n");
  return 1;
}

struct Options {
  SupervisorOptions supervisor;
  int control_fd = -1;         // -1: stdin and stdout
  std::string control_socket;  // the path of a socket that is tried first
  bool version = false;
  std::string unknown;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--version") {
      options.version = true;
      continue;
    }
    ++i;
    if (name == "--control-fd") {
      options.control_fd = std::atoi(value);  // NOLINT: started by our own engine
    } else if (name == "--control-socket") {
      options.control_socket = value;
    } else if (name == "--run-folder") {
      options.supervisor.paths.run_folder = value;
    } else if (name == "--workspace") {
      options.supervisor.paths.workspace = value;
    } else if (name == "--spill-parent") {
      options.supervisor.spill_parent = value;
    } else {
      options.unknown = name;
      return options;
    }
  }
  return options;
}

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = text.substr(0, equals);
    const bool usable = name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
                            std::string_view::npos &&
                        (name[0] < '0' || name[0] > '9');
    if (usable) list.emplace_back(name, text.substr(equals + 1));
  }
  return list;
}

void make_folders(std::string path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    ::mkdir(path.substr(0, at).c_str(), 0700);
  }
  ::mkdir(path.c_str(), 0700);
}

// The control stream leaves its well-known numbers before anything is started, and no child ever inherits it.
base::Result<std::pair<base::UniqueFd, base::UniqueFd>> take_control(int control_fd) {
  base::Result<base::UniqueFd> input = base::duplicate(control_fd < 0 ? 0 : control_fd, 10);
  base::Result<base::UniqueFd> output = base::duplicate(control_fd < 0 ? 1 : control_fd, 10);
  if (!input) return input.error();
  if (!output) return output.error();
  if (control_fd >= 0) ::close(control_fd);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return base::errno_error("cannot open /dev/null");
  ::dup2(null, 0);
  ::dup2(null, 1);
  if (null > 2) ::close(null);
  return std::pair{std::move(*input), std::move(*output)};
}

int supervise(const Options& options) {
  const base::Log log(base::LogLevel::kError);
  // First of all: scripts have the same uid, and must not reach our memory or descriptors through /proc (P11).
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ}) {
    ::signal(signal, SIG_IGN);
  }
  // Nobody listens there where the engine is in another virtual machine.
  base::UniqueFd connected = base::connect_unix(options.control_socket);
  auto streams = take_control(connected.valid() ? connected.release() : options.control_fd);
  if (!streams) {
    log.error(streams.error().message);
    return 1;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') make_folders(home);
  base::EventLoop loop;
  Supervisor supervisor(loop, std::make_unique<Control>(loop, std::move(streams->first), std::move(streams->second)),
                        options.supervisor);
  const auto started = supervisor.start(ShellState::initial(options.supervisor.paths.workspace, environment()));
  if (!started) {
    log.error(started.error().message);
    return 1;
  }
  loop.run();
  supervisor.end();
  return 0;
}

// Called by its path, it is in the run folder's bin.
CellPlaces places_of(std::string_view path) {
  CellPlaces places;
  constexpr std::string_view kInFolder = "/bin/cell";
  if (path.starts_with('/') && path.ends_with(kInFolder)) {
    places.run_folder = path.substr(0, path.size() - kInFolder.size());
  }
  return places;
}

int main(int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  std::string_view name = path;
  name.remove_prefix(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  if (name == "no-editor") return no_editor();
  if (name == "cell") return cell_command({argv + 1, argv + argc}, places_of(path));
  const Options options = read_options(argc, argv);
  if (options.version) {
    say(1, std::string("bashcell-init ") + std::string(wire::kVersion) + "\n");
    return 0;
  }
  if (!options.unknown.empty()) {
    say(2, "bashcell-init: unknown option " + options.unknown + "\n");
    return 2;
  }
  return supervise(options);
}

}  // namespace
}  // namespace bashcell::supervisor

int main(int argc, char** argv) { return bashcell::supervisor::main(argc, argv); }
