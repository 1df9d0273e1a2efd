#pragma once
// How unusual a line is in its text: by words that occur nowhere else, and by a beginning that looks like no other.
//
// What is trouble in some program's words is known to nobody; but in a log of a thousand lines it is what was said
// once. Streaming; 40 KB. Counts are of a sketch: never too low, and so a line may look more usual than it is.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bashcell::supervisor {

class Rarity {
 public:
  // What is remembered of a line.
  struct Traits {
    static constexpr size_t kMostWords = 14;
    uint32_t opening = 0;
    std::array<uint32_t, kMostWords> words{};  // hashes; letters only: names with digits, paths and identifiers differ
    size_t count = 0;                          // of words
  };

  // The next line.
  Traits add(std::string_view line);
  // 0: like others, as far as the text goes by now. Else the more, the more there is in it that is nowhere else.
  int score(const Traits& traits) const;

 private:
  // Small numbers of how often a hash was seen; the larger one of two is too high only where both are shared.
  class Counts {
   public:
    explicit Counts(size_t slots) : slots_(slots) {}
    void add(uint32_t hash);
    int count(uint32_t hash) const;

   private:
    size_t second(uint32_t hash) const { return (hash * 0x9e3779b1U >> 8U) % slots_.size(); }
    std::vector<uint8_t> slots_;
  };

  Counts words_{32'768};
  Counts openings_{8192};
};

}  // namespace bashcell::supervisor
