#include "runtime_baseline.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/file.h"
#include "base/process.h"
#include "engine/oci/oci_engine.h"
#include "engine/private_folder.h"
#include "samples.h"
#include "server.h"

namespace bashcell::bench {

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

RuntimeBaseline::RuntimeBaseline(const std::string& runtime, const engine::CellSpec& spec)
    : engine_(engine::oci::OciOptions{.runtime = runtime, .private_folder = {}, .log = base::Log{}}) {
  // The engine drops the bundle when it reads the cell's first byte, so nothing is read.
  cell_ = must(engine_.start(spec));
  const std::optional<std::string> program = base::find_program(runtime);
  if (!program) throw std::runtime_error("there is no " + runtime + " here");
  runtime_ = *program;
  const std::filesystem::path bundle = must(engine::open_private_folder()).bundles() + "/" + cell_->id();

  nlohmann::json configuration = nlohmann::json::parse(must(base::read_file(bundle / "config.json")));
  configuration["process"]["args"] = {"/bin/true"};
  std::string& root = configuration["root"]["path"].get_ref<std::string&>();
  root = (bundle / root).lexically_normal();  // stays as it is when it is absolute
  configuration_ = configuration.dump();

  std::string pattern = std::filesystem::temp_directory_path() / "bashcell-bundle-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a bundle at " + pattern);
  folder_ = pattern;
  std::filesystem::copy_file(bundle / "hosts", pattern + "/hosts");  // which a mount names without its folder
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
    path = replaced(path, cell_->id(), name);
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
