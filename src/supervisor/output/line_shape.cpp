#include "supervisor/output/line_shape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "supervisor/output/byte_masks.h"

namespace bashcell::supervisor {

namespace {

bool is_letter(char c) { return portable::is_letter(static_cast<unsigned char>(c)); }
bool is_digit(char c) { return portable::is_digit(static_cast<unsigned char>(c)); }
bool is_blank(char c) { return portable::is_blank(static_cast<unsigned char>(c)); }
bool is_word_char(char c) { return is_letter(c) || is_digit(c); }

// Words are looked up by their last eight letters in lower case, as one number: the last letter in the highest byte.
constexpr uint64_t kLowerCase = 0x2020202020202020;

constexpr uint64_t packed(std::string_view word) {
  uint64_t value = 0;
  for (const char c : word) value = value >> 8 | static_cast<uint64_t>(static_cast<unsigned char>(c | 0x20)) << 56;
  return value;
}

struct Word {
  uint64_t last8;
  size_t length;
};

constexpr Word word(std::string_view text) { return {packed(text), text.size()}; }

// Sorted by last8 at compile time. Words that share their last eight letters and length do not occur here.
template <size_t N>
constexpr std::array<Word, N> sorted(std::array<Word, N> words) {
  std::sort(words.begin(), words.end(), [](const Word& a, const Word& b) { return a.last8 < b.last8; });
  return words;
}

constexpr auto kErrors = sorted(std::array{word("error"),
                                           word("errors"),
                                           word("err"),
                                           word("fail"),
                                           word("fails"),
                                           word("failed"),
                                           word("failure"),
                                           word("failures"),
                                           word("failing"),
                                           word("fatal"),
                                           word("exception"),
                                           word("traceback"),
                                           word("panic"),
                                           word("panicked"),
                                           word("panics"),
                                           word("critical"),
                                           word("severe"),
                                           word("emergency"),
                                           word("abort"),
                                           word("aborted"),
                                           word("aborting"),
                                           word("segfault"),
                                           word("segmentation"),
                                           word("assertion"),
                                           word("denied"),
                                           word("refused"),
                                           word("undefined"),
                                           word("unresolved"),
                                           word("unreachable"),
                                           word("cannot"),
                                           word("unable"),
                                           word("invalid"),
                                           word("corrupt"),
                                           word("corrupted"),
                                           word("corruption"),
                                           word("crash"),
                                           word("crashed"),
                                           word("killed"),
                                           word("timeout"),
                                           word("unexpected"),
                                           word("illegal"),
                                           word("overflow"),
                                           word("rejected"),
                                           word("violation"),
                                           word("deadlock"),
                                           word("oom"),
                                           word("mismatch"),
                                           word("unhandled"),
                                           word("uncaught"),
                                           word("conflict"),
                                           word("broken"),
                                           word("missing"),
                                           word("alert"),
                                           word("mismatched"),
                                           word("unrecoverable"),
                                           word("exhausted"),
                                           word("unsupported"),
                                           word("unknown"),
                                           word("terminate"),
                                           word("bug"),
                                           word("✗"),
                                           word("✖"),
                                           word("✘"),
                                           word("❌")});

constexpr auto kWarnings = sorted(std::array{word("warning"), word("warnings"), word("warn"), word("deprecated"),
                                             word("retrying"), word("skipped"), word("caution")});

// "no errors" is good news, "not found" is bad.
constexpr auto kDenials = sorted(std::array{word("no"), word("without"), word("zero"), word("not")});
constexpr auto kWanted = sorted(std::array{word("found"), word("such"), word("ok"), word("permitted"), word("allowed"),
                                           word("supported"), word("defined"), word("exist"), word("valid"),
                                           word("recognized"), word("responding"), word("available")});

// Whether a word may be in any of the lists: nearly all words are not, and looking them up costs more than all the
// rest. A bit for each of 8,192 groups of words.
constexpr size_t group_of(uint64_t last8) { return static_cast<size_t>((last8 * 0x9e3779b97f4a7c15) >> 51); }

constexpr auto kMaybeListed = [] {
  std::array<uint64_t, 8192 / 64> maybe{};
  const auto add = [&](const auto& words) {
    for (const Word& one : words) maybe[group_of(one.last8) / 64] |= uint64_t{1} << group_of(one.last8) % 64;
  };
  add(kErrors);
  add(kWarnings);
  add(kDenials);
  add(kWanted);
  return maybe;
}();

bool may_be_listed(uint64_t last8) { return (kMaybeListed[group_of(last8) / 64] >> group_of(last8) % 64 & 1) != 0; }

template <size_t N>
bool contains(const std::array<Word, N>& words, uint64_t last8, size_t length) {
  auto found =
      std::lower_bound(words.begin(), words.end(), last8, [](const Word& a, uint64_t b) { return a.last8 < b; });
  for (; found != words.end() && found->last8 == last8; ++found) {
    if (found->length == length) return true;
  }
  return false;
}

bool ends_like_an_error(uint64_t last8, size_t length) {
  constexpr unsigned kAllButFive = 3 * 8;
  return (length > 5 && last8 >> kAllButFive == packed("error") >> kAllButFive) ||
         (length > 9 && last8 == packed("xception"));
}

// The letters of a word that has so many, out of eight bytes that end with it.
uint64_t highest_bytes(size_t count) { return ~uint64_t{0} << (8 * (8 - count)); }

uint64_t load8(const char* at) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// What a line is made of goes into its hash piece by piece: a mark or up to eight letters each.
void mix(uint64_t& hash, uint64_t piece) {
  hash = (hash ^ piece) * 0x9e3779b97f4a7c15;
  hash ^= hash >> 32;
}
void mix(uint64_t& hash, char mark) { mix(hash, uint64_t{static_cast<unsigned char>(mark)}); }

// One pass over a line. A "field" is what stands between blanks; a "word" is letters and digits in it.
class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line), masks_(byte_masks(line, 0)) {}

  LineShape read() {
    while (at_ < line_.size()) {
      look_here();
      if (is_here(masks_.letters | masks_.digits)) {
        read_word();
      } else if (is_here(masks_.blanks)) {
        read_blanks();
      } else {
        read_other();
      }
    }
    end_field();
    mix(hash_, uint64_t{0});
    return {hash_, weight_};
  }

 private:
  enum class Denial : uint8_t { kNone, kZero, kWord };

  // masks_ are those of the bytes around at_.
  void look_here() {
    if (at_ - masks_begin_ < kMaskBytes) return;
    masks_begin_ = at_ - at_ % kMaskBytes;
    masks_ = byte_masks(line_, masks_begin_);
  }
  bool is_here(uint64_t mask) const { return (mask >> (at_ - masks_begin_) & 1) != 0; }

  // To the first byte that is neither letter nor digit. True if there was a digit.
  bool skip_word() {
    bool digits = false;
    while (at_ < line_.size()) {
      look_here();
      const size_t shift = at_ - masks_begin_;
      const uint64_t others = ~(masks_.letters | masks_.digits) >> shift;
      const uint64_t before_the_first = (others & (~others + 1)) - 1;
      digits = digits || (masks_.digits >> shift & before_the_first) != 0;
      if (others != 0) {
        at_ += static_cast<size_t>(std::countr_zero(others));
        break;
      }
      at_ = masks_begin_ + kMaskBytes;
    }
    return digits;
  }

  void read_word() {
    const size_t begin = at_;
    const bool digits = skip_word();
    if (!digits) return read_letters(begin);
    while (is_inside_number()) {
      ++at_;
      skip_word();
    }
    mix(hash_, '#');
    // Of a status in an access log the class counts: 200 and 500 are not alike.
    if (begin >= 2 && at_ - begin == 3 && line_[begin - 1] == ' ' && line_[begin - 2] == '"') mix(hash_, line_[begin]);
    denial_ = at_ - begin == 1 && line_[begin] == '0' ? Denial::kZero : Denial::kNone;
  }

  // 1,234.5 and 10:20:30 are one number, whatever its length.
  bool is_inside_number() const {
    if (at_ + 1 >= line_.size()) return false;
    const char c = line_[at_];
    return (c == '.' || c == ',' || c == ':') && is_digit(line_[at_ + 1]) && is_digit(line_[at_ - 1]);
  }

  void read_letters(size_t begin) {
    const size_t length = at_ - begin;
    const uint64_t last8 = load_before(at_, std::min<size_t>(length, 8));
    size_t rest = length;
    for (; rest > 8; rest -= 8) mix(hash_, load8(line_.data() + at_ - rest));
    mix(hash_, last8 & highest_bytes(rest));
    judge(begin, last8 | (kLowerCase & highest_bytes(std::min<size_t>(length, 8))));
  }

  // Up to eight bytes, the last in the highest byte, and zeros below the first.
  uint64_t load_before(size_t end, size_t length) const {
    if (end >= 8) return load8(line_.data() + end - 8) & highest_bytes(length);
    std::array<char, 8> copy{};
    std::memcpy(copy.data() + copy.size() - length, line_.data() + end - length, length);
    return load8(copy.data());
  }

  void read_blanks() {
    end_field();
    mix(hash_, ' ');
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
    field_start_hash_ = hash_;
  }

  void judge(size_t begin, uint64_t last8) {
    const size_t length = at_ - begin;
    if (!may_be_listed(last8) && !ends_like_an_error(last8, length)) {
      denial_ = Denial::kNone;
      return;
    }
    const Denial denial = std::exchange(denial_, contains(kDenials, last8, length) ? Denial::kWord : Denial::kNone);
    if (path_ || weight_ == Weight::kError) return;
    if (denial != Denial::kNone) {
      if (denial == Denial::kWord && contains(kWanted, last8, length)) field_weight_ = Weight::kError;
      return;
    }
    const bool by_end = ends_like_an_error(last8, length);
    if (!by_end && is_part_of_a_name(begin)) return;
    if (says_none()) return;
    Weight weight = Weight::kPlain;
    if (by_end || contains(kErrors, last8, length)) {
      weight = Weight::kError;
    } else if (contains(kWarnings, last8, length)) {
      weight = Weight::kWarning;
    }
    if (weight > field_weight_) field_weight_ = weight;
  }

  // error.c, on_error, error-page, --error: the word is a part of something else's name.
  bool is_part_of_a_name(size_t begin) const {
    const char before = begin > 0 ? line_[begin - 1] : ' ';
    if (before == '_' || before == '-' || before == '.' || before == '/' || before == '$') return true;
    if (at_ + 1 >= line_.size()) return false;
    const char after = line_[at_];
    return (after == '_' || after == '-' || after == '.' || after == '/') && is_word_char(line_[at_ + 1]);
  }

  // "failed: 0", "errors=0".
  bool says_none() const {
    size_t at = at_;
    while (at < line_.size() && (line_[at] == ' ' || line_[at] == ':' || line_[at] == '=')) ++at;
    if (at == at_ || at >= line_.size() || line_[at] != '0') return false;
    return at + 1 == line_.size() || (!is_word_char(line_[at + 1]) && line_[at + 1] != '.');
  }

  void read_other() {
    const char c = line_[at_++];
    if (c == '/') path_ = true;
    if (c == '-' && at_ < line_.size() && is_digit(line_[at_])) return;  // a sign
    mix(hash_, c);
    denial_ = Denial::kNone;
  }

  void end_field() {
    if (path_) {
      hash_ = field_start_hash_;
      mix(hash_, '/');
    } else if (field_weight_ > weight_) {
      weight_ = field_weight_;
    }
    path_ = false;
    field_weight_ = Weight::kPlain;
  }

  std::string_view line_;
  size_t at_ = 0;
  ByteMasks masks_;
  size_t masks_begin_ = 0;
  uint64_t hash_ = 0xcbf29ce484222325;
  uint64_t field_start_hash_ = hash_;
  Weight weight_ = Weight::kPlain;
  Weight field_weight_ = Weight::kPlain;
  bool path_ = false;
  Denial denial_ = Denial::kNone;  // by the word before
};

}  // namespace

LineShape shape_of(std::string_view line) {
  // A line of `find`: one path, which may have blanks in it.
  const bool begins_as_path = line.starts_with('/') || line.starts_with("./");
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  if (begins_as_path && !has(':') && !has('\t')) return {1, Weight::kPlain};
  LineShape shape = Reader(line).read();
  // pytest explains a failure in lines that begin so.
  if (line.size() > 3 && line.substr(0, 4) == "E   ") shape.weight = Weight::kError;
  return shape;
}

}  // namespace bashcell::supervisor
