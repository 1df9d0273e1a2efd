#include "engine/oci/network.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/message_file.h"
#include "engine/oci/oci_cell.h"
#include "engine/oci/runtime.h"

namespace bashcell::engine::oci {

namespace {

constexpr const char* kTun = "/dev/net/tun";
constexpr const char* kNobody = "65534";
constexpr base::Duration kLimit{5'000};
constexpr base::Duration kLook{2};

// Nothing of this machine's loopback, in no direction. A name server on it (systemd-resolved) is reached all the same,
// by an address of its own.
constexpr const char* kPastaNameserver = "169.254.1.1";
constexpr const char* kSlirpNameserver = "10.0.2.3";

std::string asks(const std::string& nameserver) { return "nameserver " + nameserver + "\n"; }

std::vector<std::string> pasta_arguments(const std::string& path) {
  return {path,   "--foreground", "--quiet", "--config-net",  "--no-map-gw",   "-t", "none", "-u", "none", "-T",
          "none", "-U",           "none",    "--dns-forward", kPastaNameserver};
}

// Becomes the program, and leaves a process that ends it when there is nothing more to read.
constexpr const char* kUntilEnd = "exec 3<&0; (read -r end <&3; kill $$ 2>/dev/null) & exec \"$@\" 3<&- </dev/null";

// The program as it is to be called.
std::vector<std::string> command_of(const NetworkPlan& plan, pid_t cell) {
  std::vector<std::string> command;
  if (plan.before_cell) {
    command = {*base::find_program("setpriv"), "--reuid", kNobody, "--regid", kNobody, "--clear-groups"};
  } else {
    command = {"/bin/sh", "-c", kUntilEnd, "bashcell-network"};
  }
  std::vector<std::string> program;
  if (plan.program == NetworkProgram::kPasta) {
    program = pasta_arguments(plan.path);
  } else {
    program = {plan.path, "--configure", "--mtu=65520", "--disable-host-loopback"};
  }
  command.insert(command.end(), program.begin(), program.end());
  if (plan.before_cell) {
    command.insert(command.end(), {"--", "/bin/cat"});  // as long as it runs, pasta does
  } else {
    command.push_back(std::to_string(cell));
    if (plan.program == NetworkProgram::kSlirp4netns) command.emplace_back("tap0");
  }
  return command;
}

// The processes that `parent` has started.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> list;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc() || pid <= 0) continue;
    const base::Result<std::string> stat = base::read_file("/proc/" + name + "/stat");
    const size_t close = stat ? stat->rfind(") ") : std::string::npos;  // ") S PPID ..."
    if (close != std::string::npos && std::atoi(stat->c_str() + close + 4) == parent) list.push_back(pid);
  }
  return list;
}

std::string namespace_of(pid_t pid) {
  std::error_code error;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/ns/net", pid), error).string();
}

bool any_line(const std::string& text, bool (*wanted)(std::string_view)) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (wanted(std::string_view(text).substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// A way out of the namespace of that process: a default route of either family.
bool has_route(pid_t pid) {
  const base::Result<std::string> v4 = base::read_file(fmt::format("/proc/{}/net/route", pid));
  const auto is_default4 = [](std::string_view line) {  // IFACE, DESTINATION, GATEWAY ...
    const size_t tab = line.find('\t');
    return tab != std::string_view::npos && line.substr(tab + 1).starts_with("00000000\t");
  };
  if (v4 && any_line(*v4, is_default4)) return true;
  const base::Result<std::string> v6 = base::read_file(fmt::format("/proc/{}/net/ipv6_route", pid));
  const auto is_default6 = [](std::string_view line) {
    return line.starts_with("00000000000000000000000000000000 00 ") && !line.ends_with(" lo");
  };
  return v6 && any_line(*v6, is_default6);
}

// The process in whose namespace the network is, once it is there.
std::optional<pid_t> ready_in(const NetworkPlan& plan, const base::Child& process, pid_t cell) {
  if (!plan.before_cell) return has_route(cell) ? std::optional(cell) : std::nullopt;
  for (const pid_t child : children_of(process.pid())) {
    if (has_own_network(child) && has_route(child)) return child;
  }
  return std::nullopt;
}

// What it said, without what it cannot send to a syslog that is not there.
std::string said(const base::UniqueFd& messages) {
  const std::string text = base::read_messages(messages);
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.find(" to syslog") == std::string::npos) kept += line + "\n";
    at = end + 1;
  }
  return one_line(kept).substr(0, 300);
}

bool may_open_tun(bool as_nobody) {
  struct stat info {};
  if (::stat(kTun, &info) != 0) return false;
  return as_nobody ? (info.st_mode & 06) == 06 : ::access(kTun, R_OK | W_OK) == 0;
}

}  // namespace

base::Result<NetworkPlan> plan_network(const std::string& network, bool rootless) {
  if (network.empty()) return NetworkPlan{};
  if (network != "pasta") {
    return base::Error{
        fmt::format("--network {} is nothing that the oci engine has: it takes pasta; networks by name are an engine's "
                    "(--engine docker)",
                    network)};
  }
  const std::optional<std::string> pasta = base::find_program("pasta");
  const std::optional<std::string> slirp = base::find_program("slirp4netns");
  if (!pasta && !slirp) {
    return base::Error{"--network pasta needs the program pasta or slirp4netns; sudo apt-get install passt"};
  }
  struct stat info {};
  if (::stat(kTun, &info) != 0) return base::Error{"--network pasta needs /dev/net/tun; sudo modprobe tun"};
  if (pasta && may_open_tun(!rootless) && (rootless || base::find_program("setpriv"))) {
    return NetworkPlan{.program = NetworkProgram::kPasta,
                       .path = *pasta,
                       .before_cell = !rootless,
                       .resolv_conf = asks(kPastaNameserver)};
  }
  if (slirp && may_open_tun(false)) {
    return NetworkPlan{.program = NetworkProgram::kSlirp4netns, .path = *slirp, .resolv_conf = asks(kSlirpNameserver)};
  }
  return base::Error{"--network pasta: /dev/net/tun is not open to ordinary users; sudo chmod 666 /dev/net/tun"};
}

NetworkPlan plan_installer_network(bool rootless) {
  if (base::Result<NetworkPlan> plan = plan_network("pasta", rootless)) return std::move(*plan);
  NetworkPlan plan;
  plan.of_host = true;
  if (base::Result<std::string> theirs = base::read_file("/etc/resolv.conf")) plan.resolv_conf = std::move(*theirs);
  return plan;
}

bool has_own_network(pid_t pid) {
  const std::string theirs = namespace_of(pid);
  return !theirs.empty() && theirs != namespace_of(::getpid());
}

base::Result<CellNetwork> start_network(const NetworkPlan& plan, pid_t cell) {
  base::Result<base::UniqueFd> messages = base::make_message_file();
  if (!messages) return messages.error();
  base::Result<base::Pipe> life = base::make_pipe();
  if (!life) return life.error();
  CellNetwork network;
  network.life = std::move(life->write);
  base::SpawnOptions options;
  options.argv = command_of(plan, cell);
  options.environment = runtime_environment();
  options.descriptors = {{0, life->read.get()}, {1, messages->get()}, {2, messages->get()}};
  options.directory = "/";
  options.new_session = true;
  base::Result<base::Child> child = base::spawn(options);
  if (!child) return child.error();
  network.process = std::move(*child);
  const base::Instant deadline = base::now() + kLimit;
  for (;;) {
    const std::optional<pid_t> there = ready_in(plan, network.process, cell);
    if (there) {
      if (plan.before_cell) network.namespace_path = fmt::format("/proc/{}/ns/net", *there);
      return network;
    }
    const bool ended = network.process.poll().has_value();
    if (ended || base::now() >= deadline) {
      const std::string words = said(*messages);
      network.life.reset();
      network.process.wait(base::Duration(500));
      return base::Error{fmt::format("{} gives the cell no network: {}", plan.path,
                                     !words.empty() ? words
                                     : ended        ? "it ended"
                                                    : "no route within 5 s")};
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace bashcell::engine::oci
