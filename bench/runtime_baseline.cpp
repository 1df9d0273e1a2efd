#include "runtime_baseline.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/file.h"
#include "process_facts.h"
#include "samples.h"

namespace bashcell::bench {

namespace {

// argv of the server's `RUNTIME … run … --bundle DIR … NAME`.
std::vector<std::string> runtime_arguments(pid_t server) {
  for (const pid_t pid : descendants_of(server)) {
    std::vector<std::string> arguments = arguments_of(pid);
    if (std::find(arguments.begin(), arguments.end(), "run") != arguments.end()) return arguments;
  }
  throw std::runtime_error("found no runtime below the server");
}

// The value of `--name VALUE` or `--name=VALUE`.
std::string option_of(const std::vector<std::string>& arguments, const std::string& name) {
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == name) return arguments[i + 1];
    if (arguments[i].rfind(name + "=", 0) == 0) return arguments[i].substr(name.size() + 1);
  }
  throw std::runtime_error("the runtime was started without " + name);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

RuntimeBaseline::RuntimeBaseline(const Server& server) {
  const std::vector<std::string> arguments = runtime_arguments(server.pid());
  cell_ = arguments.back();
  runtime_ = arguments.front();
  const std::filesystem::path bundle = option_of(arguments, "--bundle");

  nlohmann::json configuration = nlohmann::json::parse(must(base::read_file(bundle / "config.json")));
  configuration["process"]["args"] = {"/bin/true"};
  std::string& root = configuration["root"]["path"].get_ref<std::string&>();
  root = (bundle / root).lexically_normal();  // stays as it is when it is absolute
  configuration_ = configuration.dump();

  std::string pattern = std::filesystem::temp_directory_path() / "bashcell-bundle-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a bundle at " + pattern);
  folder_ = pattern;
}

RuntimeBaseline::~RuntimeBaseline() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

double RuntimeBaseline::run() {
  // A name of its own each time, also for the control group. In the paths of mounted files the cell's name stays.
  const std::string name = "bashcell-bench-" + std::to_string(getpid()) + "-" + std::to_string(++runs_);
  nlohmann::json configuration = nlohmann::json::parse(configuration_);
  if (configuration["linux"].contains("cgroupsPath")) {
    std::string& path = configuration["linux"]["cgroupsPath"].get_ref<std::string&>();
    path = replaced(path, cell_, name);
  }
  const base::Result<void> written = base::write_file(folder_ + "/config.json", configuration.dump());
  if (!written) throw std::runtime_error(written.error().message);
  base::SpawnOptions options;
  options.argv = {runtime_, "--root", folder_ + "/state", "run", "--bundle", folder_, name};
  options.environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
  base::Captured captured;
  const double took = milliseconds_of([&] { captured = must(base::run_captured(options, std::chrono::seconds(10))); });
  if (captured.timed_out || captured.status.code != 0) {
    throw std::runtime_error(runtime_ + " run … true failed: " + captured.output);
  }
  return took;
}

}  // namespace bashcell::bench
