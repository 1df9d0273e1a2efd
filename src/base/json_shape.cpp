#include "base/json_shape.h"

#include <algorithm>

namespace bashcell::base {

JsonShape json_shape(std::string_view json_text) {
  JsonShape shape;
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json_text.size(); ++i) {
    const char c = json_text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      shape.depth = std::max(shape.depth, ++depth);
      ++shape.elements;
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == ',' || c == ':') {
      ++shape.elements;
    }
  }
  return shape;
}

}  // namespace bashcell::base
