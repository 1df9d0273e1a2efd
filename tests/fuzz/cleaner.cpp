// Any bytes through the Cleaner: what comes out is text, however they came, and little is held.

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/utf8.h"
#include "supervisor/output/clean.h"

namespace bashcell::fuzz {

namespace {

using supervisor::Cleaner;

constexpr std::string_view kStatusLine = "[cell:";
constexpr size_t kMostOfALine = 4096;

// None; what bashcell hides; one that can begin within itself; one of wide characters; one as long as it gets.
std::string prefix_of(uint8_t knob) {
  const std::array<std::string, 5> prefixes{"", "\\builtin eval \"$__cx\"; ", "aabaab", "\xe2\x82\xac\xf0\x9f\x98\x80",
                                            std::string(300, 'x') + "y"};
  return prefixes.at(knob % prefixes.size());
}

// Of a line, of what may be the beginning of the prefix, and of a character; and a blank before a line.
size_t most_held(const std::string& prefix) { return std::max(kMostOfALine, 2 * prefix.size()) + prefix.size() + 4; }

void check_text(std::string_view text) {
  REQUIRE(base::is_valid_utf8(text));
  for (size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    REQUIRE((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t');
    if (c == 0xC2) REQUIRE(static_cast<unsigned char>(text[at + 1]) >= 0xA0);  // C1: controls, too
    if (at == 0 || text[at - 1] == '\n') REQUIRE(!text.substr(at).starts_with(kStatusLine));
  }
}

std::string cleaned(Cleaner& cleaner, std::string_view raw, size_t seed, size_t held) {
  std::string all;
  const auto keep = [&](std::string_view clean, size_t most) {
    REQUIRE(base::is_valid_utf8(clean));
    REQUIRE(clean.size() <= most);
    all += clean;
  };
  cut(raw, seed, [&](std::string_view piece) {
    std::string clean;
    cleaner.add(piece, clean);
    keep(clean, 3 * piece.size() + held);
  });
  std::string clean;
  cleaner.finish(clean);
  keep(clean, held);
  return all;
}

void check_memory(const std::string& prefix, std::string_view raw, size_t seed) {
  const size_t before = __sanitizer_get_current_allocated_bytes();
  Cleaner cleaner(prefix);
  cut(raw, seed, [&](std::string_view piece) {
    {
      std::string clean;
      cleaner.add(piece, clean);
    }
    REQUIRE(__sanitizer_get_current_allocated_bytes() <= before + 4 * most_held(prefix));
  });
}

void check(const Input& input) {
  const std::string prefix = prefix_of(input.knobs[0]);
  const size_t seed = input.number(1) + 1;
  Cleaner cleaner(prefix);
  std::string whole;
  cleaner.add(input.text, whole);
  cleaner.finish(whole);
  check_text(whole);
  // The same from any pieces, and from a Cleaner that was used before.
  REQUIRE(cleaned(cleaner, input.text, 0, most_held(prefix)) == whole);
  REQUIRE(cleaned(cleaner, input.text, seed, most_held(prefix)) == whole);
  // Text that needs no change gets none. (Where a prefix was taken out, what is left may look like one.)
  if (prefix.empty()) REQUIRE(cleaned(cleaner, whole, seed, most_held(prefix)) == whole);
  check_memory(prefix, input.text, seed);
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
