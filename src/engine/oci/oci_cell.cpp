#include "engine/oci/oci_cell.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/message_file.h"
#include "base/utf8.h"
#include "engine/oci/bundle.h"

namespace bashcell::engine::oci {

// Remembers whether PID 1 has spoken, and removes the bundle as soon as the runtime has written the cell's state, into
// which it copies what it needs. PID 1 may speak before that, and crun then looks at its bundle once more, so that the
// first byte alone is no sign.
class ControlStream : public SocketStream {
 public:
  ControlStream(base::UniqueFd socket, std::string bundle, std::string state_file)
      : SocketStream(std::move(socket)), bundle_(std::move(bundle)), state_file_(std::move(state_file)) {}

  ssize_t receive(char* buffer, size_t size) override {
    const ssize_t got = SocketStream::receive(buffer, size);
    heard_ = heard_ || got > 0;
    if (got > 0 && !bundle_.empty() && ::access(state_file_.c_str(), F_OK) == 0) {
      remove_bundle(bundle_);
      bundle_.clear();
    }
    return got;
  }

  bool heard() const { return heard_; }

 private:
  bool heard_ = false;
  std::string bundle_;
  std::string state_file_;
};

namespace {

constexpr size_t kMaxDiagnostics = 1000;
constexpr base::Duration kInitLimit{5'000};

// runc: time="…" level=error msg="…" (Go-quoted). Other lines are taken as they are.
std::string without_log_fields(std::string_view line) {
  const size_t start = line.find(" msg=\"");
  if (line.rfind("time=", 0) != 0 || start == std::string_view::npos) return std::string(line);
  std::string text;
  for (size_t at = start + 6; at < line.size() && line[at] != '"'; ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    text += line[at];
  }
  return text;
}

// A killed program with several threads cannot be waited for until the last one has gone, which takes its time on a
// busy machine; its first thread is a zombie before that. Our child, so the number is not somebody else's.
bool is_ending(pid_t pid) {
  const base::Result<std::string> stat = base::read_file("/proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat ? stat->rfind(')') : std::string::npos;
  return close != std::string::npos && stat->substr(close, 3) == ") Z";
}

// What the runtime writes when it has read the bundle. Where another runtime has no such file, the bundle stays as long
// as the cell.
std::string state_file(const CellParts& parts) {
  const char* name = parts.runtime.kind == RuntimeKind::kCrun ? "status" : "state.json";
  return parts.state_folder + "/" + parts.name + "/" + name;
}

}  // namespace

std::string one_line(std::string_view messages) {
  std::string all;
  while (!messages.empty()) {
    const size_t end = std::min(messages.find('\n'), messages.size());
    const std::string text = without_log_fields(messages.substr(0, end));
    messages.remove_prefix(std::min(end + 1, messages.size()));
    if (text.empty()) continue;
    if (!all.empty()) all += "; ";
    all += text;
  }
  return std::string(base::utf8_prefix(base::printable(all), kMaxDiagnostics));
}

OciCell::OciCell(CellParts parts)
    : parts_(std::move(parts)),
      stream_(std::make_unique<ControlStream>(std::move(parts_.control), parts_.bundle, state_file(parts_))) {}

Stream& OciCell::stream() { return *stream_; }

OciCell::~OciCell() {
  stream_.reset();
  remove_bundle(parts_.bundle);
  poll_runtime();
  if (runtime_status_) {
    // Ended by itself it has cleaned up. Killed, or failed half-way, it may not have.
    if (runtime_status_->signaled || runtime_status_->code != 0) remove_by_runtime();
  } else {
    if (is_ending(parts_.runtime_process.pid())) {
      remove_by_runtime();
    } else {
      parts_.runtime_process.kill(SIGCONT);  // a stopped one could not clean up
    }
    parts_.reaper->adopt(std::move(parts_.runtime_process));
  }
  parts_.network.life.reset();
  if (parts_.network.process.running()) parts_.reaper->adopt(std::move(parts_.network.process));
  parts_.reaper->collect();
}

void OciCell::poll_runtime() {
  if (const auto status = parts_.runtime_process.poll()) runtime_status_ = status;
}

std::string OciCell::diagnostics() {
  poll_runtime();
  std::string line = one_line(base::read_messages(parts_.messages));
  if (!runtime_status_) return line;
  const std::string end = fmt::format("{} ended with {} {}", parts_.runtime.name(),
                                      runtime_status_->signaled ? "signal" : "code", runtime_status_->code);
  return std::string(base::utf8_prefix(line.empty() ? end : end + ": " + line, kMaxDiagnostics));
}

void OciCell::kill() {
  // As long as PID 1 has not spoken, it may be the runtime itself that hangs, and nothing else would end it.
  if (!stream_->heard()) parts_.runtime_process.kill(SIGKILL);
  remove_by_runtime();
}

base::Result<void> OciCell::connect(const NetworkPlan& plan) {
  if (!plan.wanted() || plan.before_cell) return {};
  const base::Result<pid_t> init = wait_for_init();
  if (!init) return init.error();
  base::Result<CellNetwork> network = start_network(plan, *init);
  if (!network) return network.error();
  parts_.network = std::move(*network);
  return {};
}

// The runtime writes PID 1's number as the host sees it: crun as "pid", runc as "init_process_pid".
base::Result<pid_t> OciCell::wait_for_init() {
  const base::Instant deadline = base::now() + kInitLimit;
  while (base::now() < deadline) {
    const base::Result<std::string> text = base::read_file(state_file(parts_));
    const nlohmann::json state = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    for (const char* name : {"pid", "init_process_pid"}) {
      if (!state.is_object() || !state.contains(name) || !state[name].is_number_integer()) continue;
      const pid_t pid = state[name].get<pid_t>();
      if (pid > 0 && has_own_network(pid)) return pid;
    }
    poll_runtime();
    if (runtime_status_) return base::Error{"the cell could not be started: " + diagnostics()};
    std::this_thread::sleep_for(base::Duration(2));
  }
  return base::Error{"the cell did not start within " + base::seconds_text(kInitLimit)};
}

void OciCell::remove_by_runtime() {
  std::vector<std::string> arguments = parts_.global_options;
  arguments.insert(arguments.end(), {"delete", "-f", parts_.name});
  base::Result<base::Child> child = base::spawn(runtime_command(parts_.runtime, parts_.state_folder, arguments));
  if (child) parts_.reaper->adopt(std::move(*child));
}

}  // namespace bashcell::engine::oci
