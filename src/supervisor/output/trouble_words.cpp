#include "supervisor/output/trouble_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

namespace bashcell::supervisor {

namespace {

bool is_digit(char c) { return portable::is_digit(static_cast<unsigned char>(c)); }
bool is_word_char(char c) { return portable::is_letter(static_cast<unsigned char>(c)) || is_digit(c); }

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
// rest. Each has a place of its own by its last eight letters, with the last four of them.
class Lists {
 public:
  template <typename... Words>
  explicit constexpr Lists(const Words&... lists) {
    (add(lists), ...);
  }

  bool may_have(uint64_t last8) const { return last4_[place_of(last8)] == last8 >> 32U; }

 private:
  static constexpr unsigned kBits = 11;
  static constexpr uint64_t kSpread = 0x1027c4d1c386bbc5;  // gives each word a place of its own

  static constexpr size_t place_of(uint64_t last8) { return static_cast<size_t>(last8 * kSpread >> (64 - kBits)); }

  template <size_t N>
  constexpr void add(const std::array<Word, N>& words) {
    for (const Word& one : words) {
      uint32_t& place = last4_[place_of(one.last8)];
      const auto last4 = static_cast<uint32_t>(one.last8 >> 32U);
      if (place != 0 && place != last4) throw "two words share a place: try other numbers for kSpread";
      place = last4;
    }
  }

  std::array<uint32_t, size_t{1} << kBits> last4_{};  // no word has 0
};

constexpr Lists kListed(kErrors, kWarnings, kDenials, kWanted);
constexpr Lists kSuspects(kErrors, kWarnings, kWanted);  // a denial alone says nothing

template <size_t N>
bool contains(const std::array<Word, N>& words, uint64_t last8, size_t length) {
  auto found =
      std::lower_bound(words.begin(), words.end(), last8, [](const Word& a, uint64_t b) { return a.last8 < b; });
  for (; found != words.end() && found->last8 == last8; ++found) {
    if (found->length == length) return true;
  }
  return false;
}

constexpr unsigned kAllButFive = 3 * 8;

bool ends_in_error(uint64_t last8) { return last8 >> kAllButFive == packed("error") >> kAllButFive; }
bool ends_like_an_error(uint64_t last8, size_t length) {
  return (length > 5 && ends_in_error(last8)) || (length > 9 && last8 == packed("xception"));
}

// The bytes of so many letters at the end.
constexpr std::array<uint64_t, 9> kEnds = [] {
  std::array<uint64_t, 9> ends{};
  for (size_t i = 1; i < ends.size(); ++i) ends[i] = ~uint64_t{0} << (8 * (8 - i));
  return ends;
}();

// The last eight letters of a word, fewer if it has no more. `last_bytes` are the last eight before its end.
uint64_t last8_of(uint64_t last_bytes, size_t length) {
  return (last_bytes | kLowerCase) & kEnds[std::min<size_t>(length, 8)];
}

uint64_t bytes_before(std::string_view text, size_t end) {
  if (end >= 8) return base::load8(text.data() + end - 8);
  return base::load_up_to_8(text.data(), end) << (8 * (8 - end));
}

// One pass over a line, or over the part of it that matters. A "field" is what stands between blanks; a "word" is
// letters and digits in it.
class Reader {
 public:
  explicit Reader(MaskedLine& line) : masked_(line), line_(line.text()) {}

  Weight read(size_t first, size_t last) {
    at_ = begin_for(first);
    const size_t end = last < line_.size() ? masked_.end_of_field(last) : line_.size();
    while (at_ < end && weight_ != Weight::kError) {
      if (masked_.is_word_at(at_)) {
        read_word();
      } else if (masked_.is_blank_at(at_)) {
        end_field();
        at_ = masked_.end_of_blanks(at_);
      } else {
        read_other();
      }
    }
    end_field();
    return weight_;
  }

 private:
  enum class Denial : uint8_t { kNone, kZero, kWord };

  // Where to begin for the word that ends there: at its field, or at the one before, which may end in a denial.
  size_t begin_for(size_t suspect) {
    if (suspect == 0) return 0;
    size_t at = masked_.begin_of_field(suspect - 1);
    while (at > 0 && portable::is_blank(static_cast<unsigned char>(line_[at - 1]))) --at;
    return at == 0 ? 0 : masked_.begin_of_field(at - 1);
  }

  void read_word() {
    const size_t begin = at_;
    at_ = masked_.end_of_word(begin);
    if (std::none_of(line_.begin() + begin, line_.begin() + at_, is_digit)) {
      return judge(begin, last8_of(bytes_before(line_, at_), at_ - begin));
    }
    at_ = masked_.end_of_number(begin);
    denial_ = at_ - begin == 1 && line_[begin] == '0' ? Denial::kZero : Denial::kNone;
  }
  void judge(size_t begin, uint64_t last8) {
    const size_t length = at_ - begin;
    if (!kListed.may_have(last8) && !ends_like_an_error(last8, length)) {
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
    denial_ = Denial::kNone;
  }

  void end_field() {
    if (!path_ && field_weight_ > weight_) weight_ = field_weight_;
    path_ = false;
    field_weight_ = Weight::kPlain;
  }

  MaskedLine& masked_;
  std::string_view line_;
  size_t at_ = 0;
  Weight weight_ = Weight::kPlain;
  Weight field_weight_ = Weight::kPlain;
  bool path_ = false;
  Denial denial_ = Denial::kNone;  // by the word before
};

}  // namespace

Weight weight_of(MaskedLine& line, size_t first, size_t last) { return Reader(line).read(first, last); }

void find_suspects(const MaskedText& text, std::vector<uint32_t>& ends) {
  const std::string_view bytes = text.text();
  ends.resize(std::max(ends.size(), bytes.size() / 2 + 2));
  size_t count = 0;
  bool open = false;  // a word reaches into the block
  size_t begin = 0;   // of the next word
  const auto search_block = [&](size_t block, auto&& before) {
    const uint64_t words = text.block(block).letters;  // words with digits are in no list
    const uint64_t after_words = words << 1U | (open ? 1U : 0U);
    uint64_t begins = words & ~after_words;
    const auto next = [&] {
      constexpr uint64_t kLast = uint64_t{1} << (kMaskBytes - 1);  // without any, it does not matter which
      begin = block + static_cast<size_t>(std::countr_zero(begins | kLast));
      begins &= begins - 1;
    };
    if (!open) next();
    for (uint64_t after = after_words & ~words; after != 0; after &= after - 1) {
      const size_t end = block + static_cast<size_t>(std::countr_zero(after));
      const uint64_t last8 = last8_of(before(end), end - begin);
      ends[count] = static_cast<uint32_t>(end);
      // What ends in "xception" is found as an "exception".
      count += (kSuspects.may_have(last8) ? 1U : 0U) | (ends_in_error(last8) ? 1U : 0U);
      next();
    }
    open = words >> (kMaskBytes - 1) != 0;
  };
  search_block(0, [&](size_t end) { return bytes_before(bytes, end); });
  for (size_t block = kMaskBytes; block <= bytes.size(); block += kMaskBytes) {
    search_block(block, [&](size_t end) { return base::load8(bytes.data() + end - 8); });
  }
  ends[count] = kNoSuspect;
}

}  // namespace bashcell::supervisor
