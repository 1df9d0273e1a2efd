#pragma once
// How deep and how big a JSON text is, before a parser spends memory on it. Not a parser: of a text that is not JSON
// the figures mean nothing, and the parser will refuse it.

#include <cstddef>
#include <string_view>

namespace bashcell::base {

struct JsonShape {
  size_t depth = 0;     // of arrays and objects within each other; 0 for a plain value
  size_t elements = 0;  // at least the number of values but one: every comma, colon and opening bracket counts
};

// O(text), no memory.
JsonShape json_shape(std::string_view json_text);

}  // namespace bashcell::base
