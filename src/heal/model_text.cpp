#include "heal/model_text.h"

namespace bashcell::heal {

using nlohmann::json;

std::optional<std::string> content_text(const json& content) {
  if (content.is_string()) return content.get<std::string>();
  if (content.is_object()) {
    const auto type = content.find("type");
    const auto text = content.find("text");
    const bool is_text = type == content.end() || *type == "text" || *type == "output_text";
    if (!is_text || text == content.end() || !text->is_string()) return std::nullopt;
    return text->get<std::string>();
  }
  if (!content.is_array()) return std::nullopt;
  std::optional<std::string> all;
  for (const json& block : content) {
    if (!block.is_object()) continue;
    if (const std::optional<std::string> text = content_text(block)) all = all.value_or("") + *text;
  }
  return all;
}

}  // namespace bashcell::heal
