#include "scripted_engine.h"

#include <utility>

namespace bashcell::testing {

namespace {

class ScriptedCell : public engine::Cell {
 public:
  ScriptedCell(base::UniqueFd control, int& killed) : stream_(std::move(control)), killed_(killed) {}
  engine::Stream& stream() override { return stream_; }
  const std::string& id() const override { return id_; }
  engine::RootName root() const override { return {"this machine", "--rootfs"}; }
  std::string diagnostics() override { return "the runtime said no"; }
  void kill() override { ++killed_; }

 private:
  engine::SocketStream stream_;
  int& killed_;
  std::string id_ = "scripted";
};

}  // namespace

base::Result<std::unique_ptr<engine::Cell>> ScriptedEngine::start(const engine::CellSpec& spec) {
  started.push_back(spec);
  if (!failures.empty()) {
    const std::string why = failures.front();
    failures.pop_front();
    return base::Error{why};
  }
  auto pair = base::make_socket_pair();
  if (!pair) return pair.error();
  on_cell(std::move(pair->second));
  return std::unique_ptr<engine::Cell>(std::make_unique<ScriptedCell>(std::move(pair->first), killed));
}

}  // namespace bashcell::testing
