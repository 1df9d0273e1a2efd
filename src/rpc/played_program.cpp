#include "rpc/played_program.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace bashcell::rpc {

namespace {

constexpr size_t kMaxOutputLine = 64 * 1024 * 1024;
constexpr size_t kMaxErrorText = 256 * 1024;
constexpr int kEventFd = 3;

}  // namespace

PlayedProgram::PlayedProgram()
    : line_splitter_(kMaxOutputLine, {[this](std::string_view line) { lines_.emplace_back(line); },
                                      [this] { lines_.emplace_back("(a line over 64 MiB)"); }}),
      event_splitter_(kMaxOutputLine, {[this](std::string_view line) { reported_.emplace_back(line); }, [] {}}) {}

base::Result<std::unique_ptr<PlayedProgram>> PlayedProgram::start(const Options& options) {
  base::Result<base::Pipe> input = base::make_pipe();
  base::Result<base::Pipe> output = base::make_pipe();
  base::Result<base::Pipe> errors = base::make_pipe();
  base::Result<base::Pipe> events = base::make_pipe();
  for (const auto* pipe : {&input, &output, &errors, &events}) {
    if (!*pipe) return pipe->error();
  }
  base::SpawnOptions spawn;
  spawn.argv = options.argv;
  spawn.environment = options.environment;
  spawn.descriptors = {{0, input->read.get()}, {1, output->write.get()}, {2, errors->write.get()}};
  if (options.with_events) {
    spawn.descriptors.emplace_back(kEventFd, events->write.get());
    spawn.environment.push_back("BASHCELL_EVENT_FD=" + std::to_string(kEventFd));
  }
  base::Result<base::Child> child = base::spawn(spawn);
  if (!child) return child.error();

  std::unique_ptr<PlayedProgram> program(new PlayedProgram());
  program->child_ = std::move(*child);
  program->exit_.reset(static_cast<int>(::syscall(SYS_pidfd_open, program->child_.pid(), 0)));
  program->input_ = std::move(input->write);
  program->output_ = std::move(output->read);
  program->errors_ = std::move(errors->read);
  program->events_ = std::move(events->read);
  for (const auto* fd : {&program->input_, &program->output_, &program->errors_, &program->events_}) {
    if (base::Result<void> set = base::set_nonblocking(fd->get(), true); !set) return set.error();
  }
  return program;
}

PlayedProgram::~PlayedProgram() {
  if (!child_.running()) return;
  child_.kill(SIGKILL);
  child_.wait(base::Duration(5000));
}

bool PlayedProgram::write(const std::string& bytes, base::Instant deadline) {
  pending_input_ += bytes;
  return pump([this] { return pending_input_.empty() || !input_.valid(); }, deadline) && input_.valid();
}

std::optional<std::string> PlayedProgram::next_line(base::Instant deadline) {
  pump([this] { return !lines_.empty() || output_ended(); }, deadline);
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool PlayedProgram::await_event(const std::string& name, base::Instant deadline) {
  const auto came = [&] { return std::find(reported_.begin(), reported_.end(), name); };
  const bool found =
      pump([&] { return came() != reported_.end() || !events_.valid(); }, deadline) && came() != reported_.end();
  if (found) reported_.erase(reported_.begin(), std::next(came()));
  return found;
}

std::optional<base::ExitStatus> PlayedProgram::wait_exit(base::Instant deadline) {
  std::optional<base::ExitStatus> status;
  const bool ended = pump([&] { return (status = child_.poll()).has_value(); }, deadline);
  if (!ended) return std::nullopt;
  // What it wrote is in the pipes. Their end is not waited for: something it left behind may hold them open.
  read_streams();
  line_splitter_.finish();
  return status;
}

bool PlayedProgram::pump(const std::function<bool()>& done, base::Instant deadline) {
  for (;;) {
    if (done()) return true;
    const base::Duration left = base::until(deadline);
    if (left == base::Duration::zero()) return false;
    poll_once(left);
  }
}

void PlayedProgram::poll_once(base::Duration timeout) {
  // poll ignores negative descriptors: closed streams are in the list, but never ready.
  std::array<pollfd, 5> entries{{{pending_input_.empty() ? -1 : input_.get(), POLLOUT, 0},
                                 {output_.get(), POLLIN, 0},
                                 {errors_.get(), POLLIN, 0},
                                 {events_.get(), POLLIN, 0},
                                 {exit_.get(), POLLIN, 0}}};
  // Without a pidfd, or when it has already spoken, the end is looked for every 10 ms.
  const int64_t limit = exit_.valid() ? 60'000 : 10;
  ::poll(entries.data(), entries.size(), static_cast<int>(std::min<int64_t>(timeout.count(), limit)));
  if (entries[0].revents != 0) write_some();
  read_streams();
  if (entries[4].revents != 0) exit_.reset();
}

void PlayedProgram::write_some() {
  const ssize_t n = ::write(input_.get(), pending_input_.data(), std::min<size_t>(pending_input_.size(), 64 * 1024));
  if (n > 0) {
    pending_input_.erase(0, static_cast<size_t>(n));
  } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
    input_.reset();
  }
}

void PlayedProgram::read_all(base::UniqueFd& fd, const std::function<void(std::string_view)>& take) {
  std::array<char, 64 * 1024> buffer;
  while (fd.valid()) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) {
      take({buffer.data(), static_cast<size_t>(n)});
    } else if (n == 0) {
      fd.reset();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void PlayedProgram::read_streams() {
  read_all(output_, [this](std::string_view piece) { line_splitter_.add(piece); });
  read_all(events_, [this](std::string_view piece) { event_splitter_.add(piece); });
  read_all(errors_, [this](std::string_view piece) {
    error_text_ += piece;
    if (error_text_.size() > kMaxErrorText) error_text_.erase(0, error_text_.size() - kMaxErrorText);
  });
}

}  // namespace bashcell::rpc
