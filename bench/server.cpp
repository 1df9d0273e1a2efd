#include "server.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/clock.h"

namespace bashcell::bench {

namespace {

constexpr int kReplyTimeoutMs = 60'000;
constexpr base::Duration kExitTimeout = std::chrono::seconds(5);

// What an official client hands to a server, and no more.
std::vector<std::string> client_environment() {
  std::vector<std::string> environment;
  for (const char* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "XDG_RUNTIME_DIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

}  // namespace

Workspace::Workspace() {
  std::string pattern = std::filesystem::temp_directory_path() / "bashcell-bench-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a workspace at " + pattern);
  path_ = pattern;
  if (geteuid() == 0 && chown(path_.c_str(), 1000, 1000) != 0) throw std::runtime_error("cannot give away " + path_);
}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Server::Server(const std::string& program, const std::string& workspace, const std::vector<std::string>& options) {
  base::Pipe to_server = must(base::make_pipe());
  base::Pipe from_server = must(base::make_pipe());
  base::SpawnOptions spawn;
  spawn.argv = {program, "serve", "--workspace", workspace};
  spawn.argv.insert(spawn.argv.end(), options.begin(), options.end());
  spawn.environment = client_environment();
  spawn.descriptors = {{0, to_server.read.get()}, {1, from_server.write.get()}, {2, 2}};
  child_ = must(base::spawn(spawn));
  input_ = std::move(to_server.write);
  output_ = std::move(from_server.read);
}

Server::~Server() {
  input_.reset();
  if (!child_.wait(kExitTimeout)) child_.kill(9);
}

void Server::initialize() {
  const int id = ++last_id_;
  send({{"jsonrpc", "2.0"},
        {"id", id},
        {"method", "initialize"},
        {"params",
         {{"protocolVersion", "2025-11-25"},
          {"capabilities", nlohmann::json::object()},
          {"clientInfo", {{"name", "bashcell-bench"}, {"version", "1"}}}}}});
  result_of(id);
  send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
}

std::string Server::call(const std::string& script, int timeout) {
  const int id = ++last_id_;
  nlohmann::json arguments = {{"command", script}};
  if (timeout > 0) arguments["timeout"] = timeout;
  send({{"jsonrpc", "2.0"},
        {"id", id},
        {"method", "tools/call"},
        {"params", {{"name", "bash"}, {"arguments", std::move(arguments)}}}});
  return result_of(id).at("content").at(0).at("text").get<std::string>();
}

void Server::close() {
  input_.reset();
  if (!child_.wait(kExitTimeout)) throw std::runtime_error("the server did not end after its input had");
}

void Server::send(const nlohmann::json& message) {
  const base::Result<void> written = base::write_all(input_.get(), message.dump() + "\n");
  if (!written) throw std::runtime_error("writing to the server: " + written.error().message);
}

nlohmann::json Server::result_of(int id) {
  const std::string line = read_line();
  const nlohmann::json message = nlohmann::json::parse(line);
  if (message.value("id", 0) != id || !message.contains("result")) {
    throw std::runtime_error("unexpected line from the server: " + line);
  }
  return message.at("result");
}

std::string Server::read_line() {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    pollfd ready{output_.get(), POLLIN, 0};
    if (poll(&ready, 1, kReplyTimeoutMs) <= 0) throw std::runtime_error("the server did not answer in time");
    char chunk[65536];
    const ssize_t count = read(output_.get(), chunk, sizeof chunk);
    if (count <= 0) throw std::runtime_error("the server ended without an answer");
    buffer_.append(chunk, static_cast<size_t>(count));
  }
}

}  // namespace bashcell::bench
