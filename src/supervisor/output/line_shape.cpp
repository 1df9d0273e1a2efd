#include "supervisor/output/line_shape.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "supervisor/output/masked_text.h"

namespace bashcell::supervisor {

namespace {

void mix(uint64_t& hash, uint64_t piece) {
  hash = (hash ^ piece) * 0x9e3779b97f4a7c15;
  hash ^= hash >> 32U;
}

// Of a line that is spelled so, after a blank or not.
uint64_t hash_of(std::string_view text, bool after_blank) {
  uint64_t hash = 0xcbf29ce484222325;
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) mix(hash, base::load8(at));
  const bool back = left > 0 && text.size() >= 8;
  mix(hash, back ? base::load8(at + left - 8) >> (8 * (8 - left)) : base::load_up_to_8(at, left));
  mix(hash, 2 * text.size() + (after_blank ? 1 : 0));
  return hash;
}

// Spells a line with '#' for each number, ' ' for blanks, and '/' for a field that is a path. What lies between them
// is most of a line, if not all of it.
class Speller {
 public:
  // `spelled` is storage.
  Speller(MaskedLine& line, std::string& spelled) : masked_(line), line_(line.text()), spelled_(spelled) {}

  uint64_t hash() {
    taken_ = masked_.end_of_blanks(0);
    const bool indented = taken_ > 0;
    size_t at = next(taken_);
    if (at == line_.size()) return hash_of(line_.substr(taken_), indented);
    spelled_.resize(std::max(spelled_.size(), line_.size() + kStep));
    for (; at < line_.size(); at = next(taken_)) {
      if (masked_.is_blank_at(at)) {
        read_blanks(at);
      } else if (masked_.is_digit_at(at)) {
        read_number(at);
      } else {
        read_path(at);
      }
    }
    take(line_.size());
    return hash_of({spelled_.data(), size_}, indented);
  }

 private:
  static constexpr size_t kStep = 16;

  // A digit, a slash, a tab, or a blank after another one or at the beginning of a block.
  size_t next(size_t at) {
    return masked_.find(at, [](const ByteMasks& masks) {
      return masks.digits | masks.slashes_and_tabs | (masks.blanks & (masks.blanks << 1U | 1U));
    });
  }

  void take(size_t end) {
    const char* from = line_.data() + taken_;
    char* to = spelled_.data() + size_;
    const size_t count = end - taken_;
    if (end + kStep <= masked_.readable()) {  // a copy in whole steps does not reach beyond the text
      for (size_t i = 0; i < count; i += kStep) std::memcpy(to + i, from + i, kStep);
    } else if (count > 0) {
      std::memcpy(to, from, count);
    }
    size_ += count;
    taken_ = end;
  }
  void add(char c) { spelled_[size_++] = c; }

  void take_to_field(size_t at) {
    const size_t begin = masked_.begin_of_field(at);
    if (begin < taken_) return;
    take(begin);
    field_ = size_;
  }

  // Of several, one blank before `at` is taken as it is.
  void read_blanks(size_t at) {
    const bool after_blank = at > taken_ && line_[at - 1] == ' ';
    take(at);
    if (!after_blank) add(' ');
    taken_ = masked_.end_of_blanks(at);
  }

  void read_number(size_t at) {
    take_to_field(at);
    const size_t begin = masked_.begin_of_word(at);
    const bool sign = begin == at && begin > taken_ && line_[begin - 1] == '-';
    take(sign ? begin - 1 : begin);
    add('#');
    taken_ = masked_.end_of_number(at);
    // Of a status in an access log the class counts: 200 and 500 are not alike.
    if (begin >= 2 && taken_ - begin == 3 && line_[begin - 1] == ' ' && line_[begin - 2] == '"') add(line_[begin]);
  }

  void read_path(size_t at) {
    take_to_field(at);
    size_ = field_;
    add('/');
    taken_ = masked_.end_of_field(at);
  }

  MaskedLine& masked_;
  std::string_view line_;
  size_t taken_ = 0;  // of the line
  std::string& spelled_;
  size_t size_ = 0;   // of what is spelled
  size_t field_ = 0;  // where in it the field begins
};

// Where `part` begins in `whole`; nowhere if it is no part of it.
std::optional<size_t> place_in(std::string_view whole, std::string_view part) {
  const auto at =
      static_cast<size_t>(reinterpret_cast<uintptr_t>(part.data()) - reinterpret_cast<uintptr_t>(whole.data()));
  if (at > whole.size() || part.size() > whole.size() - at) return std::nullopt;
  return at;
}

}  // namespace

void LineShapes::begin(std::string_view text) {
  text_ = text;
  looked_at_.look_at({});
  suspects_[next_suspect_ = 0] = kNoSuspect;
}

void LineShapes::look_at(std::string_view line) {
  constexpr size_t kAhead = 4096;
  const std::optional<size_t> at = place_in(text_, line);
  looked_at_.look_at(at ? text_.substr(*at, std::max(kAhead, line.size())) : line);
  find_suspects(looked_at_, suspects_);
  next_suspect_ = 0;
}

LineShape LineShapes::shape_of(std::string_view line) {
  // A line of `find`: one path, which may have blanks in it.
  const bool begins_as_path = line.starts_with('/') || line.starts_with("./");
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  if (begins_as_path && !has(':') && !has('\t')) return {1, Weight::kPlain};
  std::optional<size_t> at = place_in(looked_at_.text(), line);
  if (!at || !place_in(text_, line)) {  // what is not in the text may have changed
    look_at(line);
    at = 0;
  }
  MaskedLine masked(looked_at_, *at, line.size());
  LineShape shape;
  while (suspects_[next_suspect_] <= *at) ++next_suspect_;
  if (const size_t end = *at + line.size(); suspects_[next_suspect_] <= end) {
    const size_t first = suspects_[next_suspect_];
    while (suspects_[next_suspect_ + 1] <= end) ++next_suspect_;
    shape.weight = weight_of(masked, first - *at, suspects_[next_suspect_] - *at);
  }
  shape.hash = Speller(masked, spelled_).hash();
  // pytest explains a failure in lines that begin so.
  if (line.size() > 3 && line.substr(0, 4) == "E   ") shape.weight = Weight::kError;
  return shape;
}

LineShape shape_of(std::string_view line) {
  LineShapes shapes;
  return shapes.shape_of(line);
}

}  // namespace bashcell::supervisor
