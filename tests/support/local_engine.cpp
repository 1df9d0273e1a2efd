#include "local_engine.h"

#include <signal.h>

#include <filesystem>
#include <utility>

#include "base/process.h"

namespace bashcell::testing {

namespace {

class LocalCell : public engine::Cell {
 public:
  LocalCell(base::Child child, base::UniqueFd control, std::string id)
      : child_(std::move(child)), stream_(std::move(control)), id_(std::move(id)) {}

  ~LocalCell() override { child_.poll(); }

  engine::Stream& stream() override { return stream_; }
  const std::string& id() const override { return id_; }
  engine::RootName root() const override { return {"this machine", "--rootfs"}; }
  std::string diagnostics() override { return child_.poll() ? "bashcell-init has ended" : ""; }
  void kill() override { child_.kill(SIGKILL); }

 private:
  base::Child child_;
  engine::SocketStream stream_;
  std::string id_;
};

}  // namespace

LocalEngine::LocalEngine(std::string folder) : folder_(std::move(folder)) {
  namespace fs = std::filesystem;
  for (const char* name : {"/run", "/workspace"}) fs::create_directories(folder_ + name);
  std::error_code exists;
  fs::create_symlink("/proc/self/fd/250", folder_ + "/run/script", exists);
}

base::Result<std::unique_ptr<engine::Cell>> LocalEngine::start(const engine::CellSpec& spec) {
  auto control = base::make_socket_pair();
  if (!control) return control.error();
  const std::string id = "local-" + std::to_string(++started_);
  base::SpawnOptions options;
  options.argv = {spec.supervisor,        "--control-fd",   "3",
                  "--run-folder",         folder_ + "/run", "--workspace",
                  folder_ + "/workspace", "--spill-parent", folder_ + "/" + id};
  for (const auto& [name, value] : spec.environment) {
    options.environment.push_back(name + "=" + (name == "HOME" ? folder_ + "/" + id + "/home" : value));
  }
  std::error_code exists;
  std::filesystem::create_directories(folder_ + "/run/bin", exists);
  std::filesystem::create_symlink(spec.supervisor, folder_ + "/run/bin/cell", exists);
  options.descriptors = {{3, control->second.get()}, {2, 2}};
  options.new_session = true;
  base::Result<base::Child> child = base::spawn(options);
  if (!child) return child.error();
  return std::unique_ptr<engine::Cell>(std::make_unique<LocalCell>(std::move(*child), std::move(control->first), id));
}

std::vector<engine::Finding> LocalEngine::examine(const engine::CellSpec&) { return {}; }

}  // namespace bashcell::testing
