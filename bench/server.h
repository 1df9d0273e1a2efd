#pragma once
// A bashcell server as a client sees it: a program with pipes, one JSON line each way. Failures are exceptions
// (std::runtime_error): a benchmark cannot go on without its subject.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/unique_fd.h"

namespace bashcell::bench {

// The value, or its error as an exception.
template <typename T>
T must(base::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

// A folder that the cell's user may write. Removed with its content at the end.
class Workspace {
 public:
  Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Server {
 public:
  // Starts `program serve` with further `options`; does not wait for anything.
  Server(const std::string& program, const std::string& workspace, const std::vector<std::string>& options = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // As close().
  ~Server();

  // The handshake: returns when `initialize` is answered.
  void initialize();
  // Runs a script in the cell and returns the text of the reply. `timeout` in seconds, 0: the server's default.
  // An error of the protocol throws; an error of the tool is text like any other.
  std::string call(const std::string& script, int timeout = 0);
  // Ends its input and waits until it has ended.
  void close();

  pid_t pid() const { return child_.pid(); }

 private:
  void send(const nlohmann::json& message);
  nlohmann::json result_of(int id);
  std::string read_line();

  base::Child child_;
  base::UniqueFd input_;
  base::UniqueFd output_;
  std::string buffer_;
  int last_id_ = 0;
};

}  // namespace bashcell::bench
