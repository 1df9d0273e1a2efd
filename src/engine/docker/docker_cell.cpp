#include "engine/docker/docker_cell.h"

#include <algorithm>

#include "base/file.h"
#include "base/utf8.h"

namespace bashcell::engine::docker {

namespace {

constexpr size_t kMaxDiagnostics = 1000;

}  // namespace

DockerCell::DockerCell(CellParts parts)
    : parts_(std::move(parts)), stream_(std::make_unique<AttachStream>(std::move(parts_.connection))) {}

DockerCell::~DockerCell() {
  stream_.reset();
  parts_.janitor->remove(parts_.address, parts_.container);
}

std::string DockerCell::diagnostics() {
  std::string line = base::replace_invalid_utf8(std::string(base::trimmed(stream_->errors())));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return std::string(base::utf8_prefix(line, kMaxDiagnostics));
}

void DockerCell::kill() { parts_.janitor->remove(parts_.address, parts_.container); }

}  // namespace bashcell::engine::docker
