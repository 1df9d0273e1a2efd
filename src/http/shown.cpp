#include "http/shown.h"

#include <nlohmann/json.hpp>

#include "base/json_shape.h"
#include "base/utf8.h"

namespace bashcell::http {

std::string shown(std::string_view bytes, size_t max_bytes) {
  // Four bytes a character at most, and some of them may be dropped: enough to fill the line, whatever comes.
  const bool longer = bytes.size() > max_bytes * 4;
  const std::string text = base::replace_invalid_utf8(bytes.substr(0, max_bytes * 4));
  std::string line;
  bool gap = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f) {
      gap = !line.empty();
      continue;
    }
    if (gap) line += ' ';
    gap = false;
    line += c;
  }
  if (line.size() <= max_bytes && !longer) return line;
  return std::string(base::utf8_prefix(line, max_bytes)) + "...";
}

std::string server_message(std::string_view body) {
  constexpr size_t kMaxShown = 300;
  constexpr size_t kMaxDepth = 32;
  if (base::json_shape(body).depth <= kMaxDepth) {
    const nlohmann::json answer = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
    if (answer.is_object()) {
      const auto message = answer.find("message");
      if (message != answer.end() && message->is_string()) {
        return shown(message->get_ref<const std::string&>(), kMaxShown);
      }
    }
  }
  return shown(body, kMaxShown);
}

}  // namespace bashcell::http
