#pragma once
// What all targets share: how an input is read, and how a broken promise ends the run.
//
// An input is what a person would write into a file, and then kKnobs bytes that set what else can be chosen: how it is
// cut into pieces, how large a budget is. So a seed can be made with printf, and the fuzzer can turn the knobs alone.
// And a short input can be a long text: 0x0E N COUNT stands for the last N * N bytes again, COUNT times; 0x0E 0 for
// 0x0E.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "output_samples.h"

namespace bashcell::fuzz {

inline void require(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  std::fprintf(stderr, "\n%s:%d: this must hold, and does not: %s\n", file, line, what);
  std::abort();
}

inline constexpr size_t kKnobs = 6;

struct Input {
  std::string text;
  std::array<uint8_t, kKnobs> knobs{};  // 0 where the input is too short to have any

  // A number from two knobs.
  size_t number(size_t knob) const { return knobs.at(knob) + size_t{256} * knobs.at(knob + 1); }
};

inline std::string unfolded(std::string_view folded) {
  constexpr char kAgain = 0x0E;
  constexpr size_t kMost = size_t{16} * 1024;
  std::string text;
  const auto number = [&](size_t at) {
    return at < folded.size() ? static_cast<unsigned char>(folded[at]) : size_t{0};
  };
  for (size_t at = 0; at < folded.size(); ++at) {
    if (folded[at] != kAgain) {
      text += folded[at];
    } else if (const size_t n = number(++at); n == 0) {
      text += kAgain;
    } else {
      const size_t count = number(++at);
      const std::string again = text.substr(text.size() - std::min(text.size(), n * n));
      for (size_t i = 0; i < count && text.size() + again.size() < kMost; ++i) text += again;
    }
  }
  return text;
}

inline Input read_input(const uint8_t* data, size_t size) {
  Input input;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t knobs = size < kKnobs ? 0 : kKnobs;
  for (size_t i = 0; i < knobs; ++i) input.knobs.at(i) = data[size - knobs + i];
  input.text = unfolded(all.substr(0, size - knobs));
  return input;
}

// Calls `take` with consecutive pieces: of one byte when `seed` is 0, else of sizes that follow from it.
template <typename Take>
void cut(std::string_view bytes, size_t seed, Take take) {
  if (seed == 0) {
    for (size_t at = 0; at < bytes.size(); ++at) take(bytes.substr(at, 1));
    return;
  }
  constexpr std::array<size_t, 4> kLargest{2, 7, 60, 5000};
  supervisor::Dice dice(static_cast<uint32_t>(seed));
  supervisor::in_pieces(bytes, dice, kLargest.at(seed % kLargest.size()), take);
}

}  // namespace bashcell::fuzz
