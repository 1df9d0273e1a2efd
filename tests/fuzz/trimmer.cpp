// Any text through the Trimmer: exact, within the budget, and the same however it came.

#include <catch2/catch.hpp>

#include "base/budget.h"
#include "base/utf8.h"
#include "supervisor/output/clean.h"
#include "supervisor/output/trim.h"
#include "trim_checks.h"

namespace bashcell::fuzz {

namespace {

using supervisor::Trimmed;
using supervisor::Trimmer;

// What the Trimmer is asked for, in costs by `meter`.
struct Ask {
  base::Budget all;
  base::Meter meter = all;
  size_t whole = 0;   // of text that fits
  size_t if_cut = 0;  // of other text
};

Ask ask_of(const Input& input) {
  constexpr size_t kMost = 3000;
  Ask ask;
  ask.all.chars = input.number(0) % kMost;
  // From none to about one for each character.
  ask.all.tokens = input.knobs[5] == 0 ? base::kAnyTokens : ask.all.chars * (input.knobs[5] - 1U) / 250;
  ask.meter = ask.all;
  ask.whole = ask.all.chars - std::min(ask.all.chars, size_t{input.knobs[2]} * 4);
  ask.if_cut = ask.whole - std::min(ask.whole, size_t{input.knobs[3]});
  return ask;
}

// In pieces of up to so many bytes, that do not cut a character.
Trimmed trimmed(std::string_view text, const Ask& ask, size_t largest_piece) {
  Trimmer trimmer(ask.meter);
  supervisor::Dice dice(static_cast<uint32_t>(largest_piece));
  while (!text.empty()) {
    const std::string_view piece = base::utf8_prefix(text, std::max<size_t>(4, dice.roll(largest_piece + 1)));
    trimmer.add(piece);
    text.remove_prefix(piece.size());
  }
  return std::move(trimmer).finish(ask.whole, ask.if_cut);
}

std::string clean_text(const Input& input) {
  supervisor::Cleaner cleaner;
  std::string clean;
  cleaner.add(input.text, clean);
  cleaner.finish(clean);
  return clean;
}

// The line in brackets that tells what a table or a document is as a whole. No table begins with such a line itself.
std::string_view outline_in(std::string_view text) {
  for (const std::string_view kind : {"[JSON ", "[CSV: ", "[TSV: "}) {
    if (text.starts_with(kind)) return text.substr(0, std::min(text.find('\n'), text.size()));
  }
  return {};
}

void check_result(const std::string& text, Trimmed result, const Ask& ask) {
  REQUIRE(base::json_cost(result.text) <= ask.all.chars);
  REQUIRE(base::token_estimate(result.text) <= std::max<size_t>(1, ask.all.tokens));
  const size_t budget = result.left_out_bytes == 0 ? ask.whole : ask.if_cut;
  REQUIRE(ask.meter.cost(result.text) <= budget);
  REQUIRE(base::is_valid_utf8(result.text));
  REQUIRE(!result.text.ends_with('\n'));
  REQUIRE(result.left_out_lines <= result.total_lines);
  REQUIRE(result.left_out_bytes <= result.total_bytes);
  // A text with marks of its own could only be told from a wrong one by trimming it again.
  if (text.find("[...") != std::string::npos || text.find(" left out ...]") != std::string::npos) return;
  const std::string_view outline = outline_in(text).empty() ? outline_in(result.text) : std::string_view();
  if (!outline.empty()) {
    REQUIRE(result.left_out_bytes > 0);
    REQUIRE(outline.ends_with(']'));
    result.text.erase(0, std::min(outline.size() + 1, result.text.size()));
  }
  supervisor::check_exact(text, result, budget, ask.meter);
}

void check(const Input& input) {
  const std::string text = clean_text(input);
  const Ask ask = ask_of(input);
  constexpr size_t kAllAtOnce = size_t{1} << 20U;
  const Trimmed result = trimmed(text, ask, kAllAtOnce);
  check_result(text, result, ask);
  for (const size_t largest_piece : {size_t{4}, size_t{50} + 20 * input.knobs[4]}) {
    const Trimmed again = trimmed(text, ask, largest_piece);
    REQUIRE(again.text == result.text);
    REQUIRE(again.total_lines == result.total_lines);
    REQUIRE(again.total_bytes == result.total_bytes);
    REQUIRE(again.left_out_lines == result.left_out_lines);
    REQUIRE(again.left_out_bytes == result.left_out_bytes);
  }
}

}  // namespace

}  // namespace bashcell::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bashcell::fuzz::check(bashcell::fuzz::read_input(data, size));
  return 0;
}
