#include "engine/docker/pull_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/json_shape.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "engine/docker/json_member.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

constexpr size_t kMaxLine = size_t{64} << 10;
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxLayers = 1'000;
constexpr size_t kMaxError = 500;
constexpr int64_t kMostBytes = 1'000'000'000'000'000;  // of a layer: so the sum of all fits, whatever an engine says

int64_t number_of(const json& object, const char* name) {
  const json& value = member(object, name);
  return value.is_number_integer() ? std::clamp<int64_t>(value.get<int64_t>(), 0, kMostBytes) : 0;
}

}  // namespace

void PullProgress::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    if (partial_.size() + end > kMaxLine) skipping_ = true;
    if (skipping_) {
      partial_.clear();
    } else {
      partial_ += bytes.substr(0, end);
    }
    if (end == bytes.size()) return;
    bytes.remove_prefix(end + 1);
    if (!std::exchange(skipping_, false)) add_line(partial_);
    partial_.clear();
  }
}

void PullProgress::add_line(std::string_view line) {
  if (base::json_shape(line).depth > kMaxDepth) return;
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return;
  std::string error = text_member(message, "error");
  if (error.empty()) error = text_member(member(message, "errorDetail"), "message");
  if (!error.empty() && error_.empty()) error_ = base::utf8_prefix(base::printable(error), kMaxError);
  const json& numbers = member(message, "progressDetail");
  add_layer(text_member(message, "id"), text_member(message, "status"), number_of(numbers, "current"),
            number_of(numbers, "total"));
}

// Other statuses have an id, too: "Pulling from library/python" has the tag.
void PullProgress::add_layer(const std::string& id, const std::string& status, int64_t current, int64_t total) {
  const bool downloading = status == "Downloading";
  const bool arrived = status == "Download complete" || status == "Verifying Checksum" || status == "Extracting" ||
                       status == "Pull complete" || status == "Already exists";
  const bool expected = status == "Pulling fs layer" || status == "Waiting";
  if (id.empty() || (!downloading && !arrived && !expected)) return;
  if (layers_.size() >= kMaxLayers && !layers_.contains(id)) return;
  Layer& layer = layers_[id];
  if (downloading) {
    layer.bytes = current;
    layer.size = total;
  } else if (arrived) {
    layer.arrived = true;
    layer.bytes = layer.size;
  }
}

std::string PullProgress::text() const {
  if (layers_.empty()) return "nothing of it has arrived yet";
  int64_t bytes = 0;
  int64_t size = 0;
  size_t arrived = 0;
  bool all_known = true;
  for (const auto& [id, layer] : layers_) {
    bytes += layer.bytes;
    size += layer.size;
    arrived += layer.arrived ? 1 : 0;
    // One that has arrived without a size was there before, or was too short to be counted.
    all_known = all_known && (layer.size > 0 || layer.arrived);
  }
  const std::string all = base::counted(static_cast<int64_t>(layers_.size()), "layer");
  if (arrived == layers_.size()) return all + ", all here and being unpacked";
  const std::string layers = fmt::format("{} of {}", arrived, all);
  if (size == 0) return layers;
  if (!all_known) return fmt::format("{} so far, {}", base::size_text(bytes), layers);
  return fmt::format("{} of {}, {}", base::size_text(bytes), base::size_text(size), layers);
}

}  // namespace bashcell::engine::docker
