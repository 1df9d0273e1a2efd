#include "supervisor/output/line_shape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace bashcell::supervisor {

namespace {

enum class Kind : uint8_t { kOther, kLetter, kDigit, kBlank };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (int c = 'a'; c <= 'z'; ++c) kinds[static_cast<size_t>(c)] = Kind::kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) kinds[static_cast<size_t>(c)] = Kind::kLetter;
  for (int c = 0x80; c <= 0xFF; ++c) kinds[static_cast<size_t>(c)] = Kind::kLetter;
  for (int c = '0'; c <= '9'; ++c) kinds[static_cast<size_t>(c)] = Kind::kDigit;
  kinds[' '] = kinds['\t'] = Kind::kBlank;
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }
bool is_word_char(char c) { return kind_of(c) == Kind::kLetter || kind_of(c) == Kind::kDigit; }

// The last eight letters of a word, in lower case, as one number.
constexpr uint64_t packed(std::string_view word) {
  uint64_t value = 0;
  for (const char c : word) value = value << 8 | static_cast<unsigned char>(c | 0x20);
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

constexpr size_t slot(uint64_t last8) { return static_cast<size_t>((last8 * 0x9e3779b97f4a7c15) >> 53); }

// Whether a word may be in any of the lists: nearly all words are not, and looking them up costs more than all the
// rest.
constexpr auto kMaybeListed = [] {
  std::array<bool, 2048> maybe{};
  const auto add = [&](const auto& words) {
    for (const Word& one : words) maybe[slot(one.last8)] = true;
  };
  add(kErrors);
  add(kWarnings);
  add(kDenials);
  add(kWanted);
  return maybe;
}();

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
  constexpr uint64_t kFive = (uint64_t{1} << 40) - 1;
  return (length > 5 && (last8 & kFive) == packed("error")) || (length > 9 && last8 == packed("xception"));
}

// FNV-1a, one step.
void mix(uint64_t& hash, unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; }

// One pass over a line. A "field" is what stands between blanks; a "word" is letters and digits in it.
class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  LineShape read() {
    while (at_ < line_.size()) {
      switch (kind_of(line_[at_])) {
        case Kind::kBlank:
          end_field();
          mix(hash_, ' ');
          while (at_ < line_.size() && kind_of(line_[at_]) == Kind::kBlank) ++at_;
          field_start_hash_ = hash_;
          break;
        case Kind::kLetter:
        case Kind::kDigit:
          read_word();
          break;
        case Kind::kOther:
          read_other();
          break;
      }
    }
    end_field();
    return {hash_, weight_};
  }

 private:
  enum class Denial : uint8_t { kNone, kZero, kWord };

  void read_word() {
    const size_t begin = at_;
    uint64_t hash = hash_;
    uint64_t last8 = 0;
    bool digits = false;
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      const Kind kind = kind_of(c);
      if (kind == Kind::kLetter) {
        mix(hash, static_cast<unsigned char>(c));
        last8 = last8 << 8 | static_cast<unsigned char>(c | 0x20);
      } else if (kind == Kind::kDigit) {
        digits = true;
      } else if (digits && is_number_inside()) {
        continue;
      } else {
        break;
      }
    }
    if (digits) {
      mix(hash_, '#');
      // Of a status in an access log the class counts: 200 and 500 are not alike.
      if (begin >= 2 && at_ - begin == 3 && line_[begin - 1] == ' ' && line_[begin - 2] == '"') {
        mix(hash_, static_cast<unsigned char>(line_[begin]));
      }
      denial_ = at_ - begin == 1 && line_[begin] == '0' ? Denial::kZero : Denial::kNone;
      return;
    }
    hash_ = hash;
    judge(begin, last8);
  }

  // 1,234.5 and 10:20:30 are one number, whatever its length.
  bool is_number_inside() const {
    const char c = line_[at_];
    return (c == '.' || c == ',' || c == ':') && at_ + 1 < line_.size() && kind_of(line_[at_ + 1]) == Kind::kDigit &&
           kind_of(line_[at_ - 1]) == Kind::kDigit;
  }

  void judge(size_t begin, uint64_t last8) {
    const size_t length = at_ - begin;
    if (!kMaybeListed[slot(last8)] && !ends_like_an_error(last8, length)) {
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
    if (c == '-' && at_ < line_.size() && kind_of(line_[at_]) == Kind::kDigit) return;  // a sign
    mix(hash_, static_cast<unsigned char>(c));
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
  if (begins_as_path && line.find_first_of(":\t") == std::string_view::npos) return {1, Weight::kPlain};
  LineShape shape = Reader(line).read();
  // pytest explains a failure in lines that begin so.
  if (line.size() > 3 && line.substr(0, 4) == "E   ") shape.weight = Weight::kError;
  return shape;
}

}  // namespace bashcell::supervisor
