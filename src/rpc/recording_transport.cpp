#include "rpc/recording_transport.h"

#include <fcntl.h>

#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_shape.h"
#include "base/utf8.h"
#include "rpc/message.h"

namespace bashcell::rpc {

namespace {

using nlohmann::json;

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

// A line that is JSON is written down as it came, with its own order and spacing.
std::string sent_step(std::string_view line) {
  if (base::json_shape(line).depth <= kMaxDepth && json::accept(line)) return R"({"send": )" + std::string(line) + "}";
  const std::string raw = std::string(line) + "\n";
  const json value = base::is_valid_utf8(raw) ? json(raw) : json{{"hex", hex(raw)}};
  return R"({"send_raw": )" + value.dump() + "}";
}

}  // namespace

base::Result<base::UniqueFd> open_recording(const std::string& path) {
  base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600));
  if (!file.valid()) return base::errno_error("cannot record to " + path);
  return file;
}

RecordingTransport::RecordingTransport(Transport& inner, base::UniqueFd file, base::Log log)
    : inner_(inner), file_(std::move(file)), log_(log) {}

void RecordingTransport::start(TransportEvents events) {
  TransportEvents recorded = events;
  recorded.on_line = [this, on_line = events.on_line](std::string_view line) {
    received(line);
    if (on_line) on_line(line);
  };
  recorded.on_oversize = [this, on_oversize = events.on_oversize] {
    write(R"({"note": "here came a line that was too long, and was dropped"})");
    if (on_oversize) on_oversize();
  };
  recorded.on_end = [this, on_end = events.on_end] {
    write(R"({"close_input": true})");
    if (on_end) on_end();
  };
  inner_.start(std::move(recorded));
}

void RecordingTransport::send(std::string_view line) {
  write(R"({"expect": )" + std::string(line) + "}");
  inner_.send(line);
}

void RecordingTransport::received(std::string_view line) { write(sent_step(line)); }

void RecordingTransport::write(std::string_view line) {
  if (!file_.valid()) return;
  const base::Result<void> written = base::write_all(file_.get(), std::string(line) + "\n");
  if (written) return;
  log_.error("the recording stops here: " + written.error().message);
  file_.reset();
}

}  // namespace bashcell::rpc
