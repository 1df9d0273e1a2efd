#include "engine/docker/docker_cell.h"

#include <fmt/format.h>

#include <array>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/utf8.h"
#include "engine/docker/json_member.h"

namespace bashcell::engine::docker {

namespace {

constexpr size_t kMaxDiagnostics = 800;
constexpr int kMaxReads = 16;

// One line of what the runtime or PID 1 said. crun under Podman says it in JSON.
std::string message_of(const std::string& errors) {
  std::string text(base::trimmed(errors));
  const std::string entry = text_member(nlohmann::json::parse(text, nullptr, false), "msg");
  if (!entry.empty()) text = entry;
  return std::string(base::utf8_prefix(base::printable(text), kMaxDiagnostics));
}

}  // namespace

DockerCell::DockerCell(CellParts parts)
    : parts_(std::move(parts)), attached_(std::make_unique<AttachStream>(std::move(parts_.connection))) {
  if (parts_.direct) direct_ = std::make_unique<SocketStream>(std::move(*parts_.direct));
}

DockerCell::~DockerCell() {
  direct_.reset();
  attached_.reset();
  parts_.janitor->remove(parts_.address, parts_.container);
}

std::string DockerCell::diagnostics() {
  // The end of the cell may have shown in a write, before anything was read.
  std::array<char, 4096> rest{};
  for (int i = 0; i < kMaxReads && attached_->receive(rest.data(), rest.size()) > 0; ++i) continue;
  const std::string said = message_of(attached_->errors());
  if (said.find(kCellSupervisor) == std::string::npos) return said;
  return fmt::format("bashcell-init cannot be executed in {} ({}): name one for this machine with --init", root().what,
                     said);
}

void DockerCell::kill() { parts_.janitor->remove(parts_.address, parts_.container); }

}  // namespace bashcell::engine::docker
