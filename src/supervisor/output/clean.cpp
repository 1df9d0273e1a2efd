#include "supervisor/output/clean.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr unsigned char kEscape = 0x1B;
constexpr std::string_view kStatusLine = "[cell:";

// Printable ASCII, tab and newline: what most output is made of. Written so that compilers can look at many at once.
constexpr bool is_plain(char c) {
  return static_cast<bool>(static_cast<int>(static_cast<unsigned char>(c - 0x20) < 0x5F) | static_cast<int>(c == '\t') |
                           static_cast<int>(c == '\n'));
}
bool is_c1(char32_t c) { return c >= 0x80 && c < 0xA0; }

const char* end_of_plain_ascii(const char* at, const char* end) {
  if (at == end || !is_plain(*at)) return at;
  constexpr std::ptrdiff_t kBlock = 64;
  for (; end - at >= kBlock; at += kBlock) {
    uint8_t odd = 0;
    for (std::ptrdiff_t i = 0; i < kBlock; ++i) odd |= static_cast<uint8_t>(!is_plain(at[i]));
    if (odd != 0) break;
  }
  while (at < end && is_plain(*at)) ++at;
  return at;
}

// The end of the longest run that is shown as it is.
const char* end_of_plain(const char* at, const char* end) {
  for (;;) {
    at = end_of_plain_ascii(at, end);
    if (at == end || static_cast<unsigned char>(*at) < 0x80) return at;
    const base::Utf8Step step = base::utf8_step({at, static_cast<size_t>(end - at)});
    if (!step.valid || is_c1(step.code_point)) return at;
    at += step.length;
  }
}

}  // namespace

Cleaner::Cleaner(std::string hidden_prefix) : line_(std::move(hidden_prefix)) {}

void Cleaner::add(std::string_view raw, std::string& clean) {
  const char* at = raw.data();
  const char* const end = at + raw.size();
  while (at < end) {
    const bool ground = partial_.empty() && !escape_.active();
    if (ground && line_.at_end()) at = add_text(at, end, clean);
    if (at == end) return;
    if (!partial_.empty() || static_cast<unsigned char>(*at) >= 0x80) {
      at = add_encoded(at, end, clean);
    } else {
      add_ascii(*at++, clean);
    }
  }
}

const char* Cleaner::add_text(const char* at, const char* end, std::string& clean) {
  const char* const stop = end_of_plain(at, end);
  std::string_view text(at, static_cast<size_t>(stop - at));
  const auto holds = [&](std::string_view part) { return !part.empty() && text.find(part) != std::string_view::npos; };
  const bool line_by_line = holds(kStatusLine) || holds(line_.hidden_prefix());
  while (!text.empty()) {
    // Whole lines go through in one piece, unless one of them may need a change.
    if (const size_t last = text.rfind('\n'); last != std::string_view::npos && line_.empty() && !line_by_line) {
      clean += text.substr(0, last + 1);
      text.remove_prefix(last + 1);
      continue;
    }
    const size_t newline = text.find('\n');
    line_.append(text.substr(0, newline), clean);
    if (newline == std::string_view::npos) break;
    end_line(clean);
    text.remove_prefix(newline + 1);
  }
  return stop;
}

const char* Cleaner::add_encoded(const char* at, const char* end, std::string& clean) {
  const auto show = [&](const base::Utf8Step& step, std::string_view bytes) {
    add_character(step.valid ? bytes.substr(0, step.length) : base::kReplacementCharacter, step.code_point, clean);
  };
  if (partial_.empty()) {
    const std::string_view rest(at, static_cast<size_t>(end - at));
    const base::Utf8Step step = base::utf8_step(rest);
    if (step.incomplete) {
      partial_ = rest;
      return end;
    }
    show(step, rest);
    return at + step.length;
  }
  partial_ += *at;
  const base::Utf8Step step = base::utf8_step(partial_);
  if (step.incomplete) return at + 1;
  // Only the newest byte can be what a sequence breaks at: then it begins something of its own.
  const bool consumed = step.length == partial_.size();
  show(step, std::exchange(partial_, {}));
  return consumed ? at + 1 : at;
}

void Cleaner::add_character(std::string_view character, char32_t code_point, std::string& clean) {
  if (is_c1(code_point)) return escape_.begin_c1(code_point);
  if (escape_.active() && escape_.add(code_point) != EscapeParser::Action::kNotMine) return;
  line_.put(character, clean);
}

void Cleaner::add_ascii(char c, std::string& clean) {
  if (static_cast<unsigned char>(c) == kEscape) return escape_.begin_escape();
  if (escape_.active()) {
    const EscapeParser::Action action = escape_.add(static_cast<unsigned char>(c));
    if (action != EscapeParser::Action::kNotMine) return apply(action);
  }
  switch (c) {
    case '\n':
      return end_line(clean);
    case '\r':
      return line_.carriage_return();
    case '\b':
      return line_.backspace();
    default:
      if (is_plain(c)) line_.put({&c, 1}, clean);
  }
}

void Cleaner::apply(EscapeParser::Action action) {
  switch (action) {
    case EscapeParser::Action::kEraseToEnd:
      return line_.erase_to_end();
    case EscapeParser::Action::kEraseToStart:
      return line_.erase_to_start();
    case EscapeParser::Action::kEraseAll:
      return line_.erase_all();
    case EscapeParser::Action::kFirstColumn:
      return line_.carriage_return();
    case EscapeParser::Action::kNone:
    case EscapeParser::Action::kNotMine:
      return;
  }
}

void Cleaner::end_line(std::string& clean) {
  line_.end(clean);
  clean += '\n';
}

void Cleaner::finish(std::string& clean) {
  if (!partial_.empty()) {
    partial_.clear();
    add_character(base::kReplacementCharacter, 0xFFFD, clean);
  }
  escape_ = EscapeParser();
  line_.end(clean);
}

}  // namespace bashcell::supervisor
