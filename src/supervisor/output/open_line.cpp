#include "supervisor/output/open_line.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr std::string_view kStatusLine = "[cell:";
// What has scrolled off the left of a longer line is final: a terminal could not redraw it either.
constexpr size_t kMaxOpenLine = 4096;

size_t next_character(std::string_view text, size_t at) {
  do ++at;
  while (at < text.size() && base::is_utf8_continuation(text[at]));
  return at;
}

size_t previous_character(std::string_view text, size_t at) {
  do --at;
  while (at > 0 && base::is_utf8_continuation(text[at]));
  return at;
}

size_t columns(std::string_view text) { return static_cast<size_t>(base::utf8_length(text)); }

// How much of the end of `text` may be the beginning of `pattern`.
size_t partial_match(std::string_view text, std::string_view pattern) {
  for (size_t n = pattern.empty() ? 0 : std::min(text.size(), pattern.size() - 1); n > 0; --n) {
    if (text.substr(text.size() - n) == pattern.substr(0, n)) return n;
  }
  return 0;
}

}  // namespace

OpenLine::OpenLine(std::string hidden_prefix)
    : hidden_prefix_(std::move(hidden_prefix)), max_bytes_(std::max(kMaxOpenLine, 2 * hidden_prefix_.size())) {}

void OpenLine::put(std::string_view character, std::string& clean) {
  pad();
  if (cursor_ == text_.size()) {
    text_ += character;
  } else if (const size_t old = next_character(text_, cursor_) - cursor_; old == 1 && character.size() == 1) {
    text_[cursor_] = character[0];
  } else {
    text_.replace(cursor_, old, character);
  }
  cursor_ += character.size();
  if (text_.size() >= max_bytes_) give_what_is_too_long(clean);
}

void OpenLine::append(std::string_view text, std::string& clean) {
  while (!text.empty()) {
    // The same cuts as if the characters came one by one.
    size_t taken = std::min(text.size(), max_bytes_ - std::min(max_bytes_, text_.size()));
    while (taken < text.size() && base::is_utf8_continuation(text[taken])) ++taken;
    text_ += text.substr(0, taken);
    cursor_ = text_.size();
    text.remove_prefix(taken);
    if (text_.size() >= max_bytes_) give_what_is_too_long(clean);
  }
}

void OpenLine::pad() {
  if (gap_ == 0) return;
  text_.append(std::exchange(gap_, 0), ' ');
  cursor_ = text_.size();
}

void OpenLine::carriage_return() {
  cursor_ = 0;
  gap_ = 0;
}

void OpenLine::backspace() {
  if (gap_ > 0) {
    --gap_;
    return;
  }
  if (cursor_ == 0) return;
  const bool last = cursor_ == text_.size();
  cursor_ = previous_character(text_, cursor_);
  if (last) text_.resize(cursor_);
}

void OpenLine::erase_to_end() { text_.resize(cursor_); }

void OpenLine::erase_to_start() {
  if (at_end() || gap_ > 0) return erase_all();
  const size_t blanks = columns(std::string_view(text_).substr(0, cursor_)) + 1;
  text_.replace(0, next_character(text_, cursor_), blanks, ' ');
  cursor_ = blanks - 1;
}

void OpenLine::erase_all() {
  gap_ += columns(std::string_view(text_).substr(0, cursor_));
  text_.clear();
  cursor_ = 0;
}

void OpenLine::end(std::string& clean) {
  give(text_, true, clean);
  text_.clear();
  cursor_ = 0;
  gap_ = 0;
  at_start_ = true;
}

void OpenLine::give(std::string_view text, bool complete, std::string& clean) {
  const size_t begin = clean.size();
  if (!hidden_prefix_.empty()) {
    for (size_t at = 0; (at = text.find(hidden_prefix_)) != std::string_view::npos;) {
      clean += text.substr(0, at);
      text.remove_prefix(at + hidden_prefix_.size());
    }
  }
  clean += text;
  if (!at_start_ || clean.size() == begin) return;
  at_start_ = false;
  const std::string_view given = std::string_view(clean).substr(begin);
  // A piece too short to tell is indented, too: the rest may come later.
  if (given.starts_with(kStatusLine) || (!complete && kStatusLine.starts_with(given))) clean.insert(begin, 1, ' ');
}

void OpenLine::give_what_is_too_long(std::string& clean) {
  std::string_view ready = std::string_view(text_).substr(0, cursor_);
  ready.remove_suffix(partial_match(ready, hidden_prefix_));
  const size_t given = ready.size();
  give(ready, false, clean);
  text_.erase(0, given);
  cursor_ -= given;
}

}  // namespace bashcell::supervisor
