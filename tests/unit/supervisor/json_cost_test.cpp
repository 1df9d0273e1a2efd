#include "supervisor/output/json_cost.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.h"
#include "output_samples.h"

using bashcell::supervisor::json_cost;
using bashcell::supervisor::json_prefix;
using bashcell::supervisor::json_suffix;

namespace {

// Counted on what nlohmann really writes.
size_t dumped_cost(const std::string& text) {
  const std::string dumped = nlohmann::json(text).dump();
  std::string_view inner = std::string_view(dumped).substr(1, dumped.size() - 2);
  size_t units = 0;
  while (!inner.empty()) {
    const bashcell::base::Utf8Step step = bashcell::base::utf8_step(inner);
    units += step.code_point > 0xFFFF ? 2 : 1;
    inner.remove_prefix(step.length);
  }
  return units;
}

}  // namespace

TEST_CASE("the cost of every ASCII character is what the JSON writer makes of it") {
  for (char c = 0;; ++c) {
    const std::string text(1, c);
    CAPTURE(static_cast<int>(c));
    CHECK(json_cost(text) == dumped_cost(text));
    if (c == 127) break;
  }
}

TEST_CASE("the cost of characters beyond ASCII is their UTF-16 length") {
  CHECK(json_cost("") == 0);
  CHECK(json_cost("\xc2\xa0") == 1);
  CHECK(json_cost("\xef\xbf\xbd") == 1);
  CHECK(json_cost("\xf0\x90\x80\x80") == 2);
  CHECK(json_cost("\xf4\x8f\xbf\xbf") == 2);
  for (uint32_t seed = 0; seed < 50; ++seed) {
    bashcell::supervisor::Dice dice(seed);
    const std::string text = bashcell::supervisor::clean_text(dice, 20, 200);
    CHECK(json_cost(text) == dumped_cost(text));
  }
}

TEST_CASE("prefix and suffix are the longest whole characters within the cost") {
  const std::string text = "a\"\xc3\xa9\xf0\x9f\x98\x80\nz";  // costs 1 2 1 2 2 1
  const std::vector<std::string> characters{"a", "\"", "\xc3\xa9", "\xf0\x9f\x98\x80", "\n", "z"};
  for (size_t limit = 0; limit <= 10; ++limit) {
    std::string prefix;
    for (const std::string& c : characters) {
      if (json_cost(prefix + c) > limit) break;
      prefix += c;
    }
    std::string suffix;
    for (auto c = characters.rbegin(); c != characters.rend() && json_cost(*c + suffix) <= limit; ++c)
      suffix = *c + suffix;
    CAPTURE(limit);
    CHECK(json_prefix(text, limit) == prefix);
    CHECK(json_suffix(text, limit) == suffix);
  }
}
