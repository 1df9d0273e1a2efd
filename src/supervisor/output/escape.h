#pragma once
// Finds the end of terminal escape sequences (ECMA-48 and xterm's additions), one character at a time.
//
// Of what sequences mean, only erasing in the line and going to its first column is told; everything else is dropped.

#include <cstdint>

namespace bashcell::supervisor {

class EscapeParser {
 public:
  enum class Action {
    kNone,     // part of a sequence: not shown
    kNotMine,  // the sequence ended before this character, which is to be treated as ordinary input
    kEraseToEnd,
    kEraseToStart,
    kEraseAll,
    kFirstColumn,
  };

  bool active() const { return state_ != State::kNone; }

  // ESC, or a C1 control (U+0080 to U+009F), begins a sequence. Also right inside one: it replaces it.
  void begin_escape() { state_ = State::kEscape; }
  void begin_c1(char32_t code_point);

  // The next character while active(): ASCII, or any code point from U+00A0 on. ESC and C1 go to begin_…().
  Action add(char32_t code_point);

 private:
  enum class State { kNone, kEscape, kEscapeIntermediate, kCsi, kString };

  void begin_csi();
  Action add_csi(char32_t c);

  State state_ = State::kNone;
  uint32_t parameter_ = 0;  // of a CSI with a single number
  bool plain_ = true;       // no private marker, separator or intermediate byte
};

}  // namespace bashcell::supervisor
