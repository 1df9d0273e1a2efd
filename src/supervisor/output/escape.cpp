#include "supervisor/output/escape.h"

namespace bashcell::supervisor {

namespace {

constexpr char32_t kBell = 0x07;
constexpr char32_t kNewline = 0x0A;
constexpr char32_t kCancel = 0x18;
constexpr char32_t kSubstitute = 0x1A;
constexpr char32_t kDelete = 0x7F;

bool within(char32_t c, char32_t low, char32_t high) { return c >= low && c <= high; }

}  // namespace

void EscapeParser::begin_csi() {
  state_ = State::kCsi;
  parameter_ = 0;
  plain_ = true;
}

void EscapeParser::begin_c1(char32_t code_point) {
  switch (code_point) {
    case 0x9B:
      return begin_csi();
    case 0x90:  // DCS
    case 0x98:  // SOS
    case 0x9D:  // OSC
    case 0x9E:  // PM
    case 0x9F:  // APC
      state_ = State::kString;
      return;
    default:  // a control of its own, or ST, the end of a string
      state_ = State::kNone;
  }
}

EscapeParser::Action EscapeParser::add(char32_t c) {
  // A line end ends whatever is open: a sequence that was never finished must not swallow the lines after it.
  if (c == kNewline) {
    state_ = State::kNone;
    return Action::kNotMine;
  }
  if (c == kCancel || c == kSubstitute) {
    state_ = State::kNone;
    return Action::kNone;
  }
  if (state_ == State::kString) {
    if (c == kBell) state_ = State::kNone;
    return Action::kNone;
  }
  if (c < 0x20 || c == kDelete) return Action::kNone;
  if (c > kDelete) {
    state_ = State::kNone;
    return Action::kNotMine;
  }
  if (state_ == State::kCsi) return add_csi(c);
  if (within(c, 0x20, 0x2F)) {
    state_ = State::kEscapeIntermediate;
  } else if (state_ == State::kEscape && c == '[') {
    begin_csi();
  } else if (state_ == State::kEscape && (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_')) {
    state_ = State::kString;
  } else {
    state_ = State::kNone;
  }
  return Action::kNone;
}

EscapeParser::Action EscapeParser::add_csi(char32_t c) {
  if (c >= 0x40) {
    state_ = State::kNone;
    if (!plain_) return Action::kNone;
    if (c == 'K' && parameter_ == 0) return Action::kEraseToEnd;
    if (c == 'K' && parameter_ == 1) return Action::kEraseToStart;
    if (c == 'K' && parameter_ == 2) return Action::kEraseAll;
    if (c == 'G' && parameter_ <= 1) return Action::kFirstColumn;
    return Action::kNone;
  }
  constexpr uint32_t kMaxParameter = 10'000;
  if (!within(c, '0', '9')) {
    plain_ = false;
  } else if (parameter_ < kMaxParameter) {
    parameter_ = parameter_ * 10 + (c - '0');
  }
  return Action::kNone;
}

}  // namespace bashcell::supervisor
