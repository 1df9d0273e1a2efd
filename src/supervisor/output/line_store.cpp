#include "supervisor/output/line_store.h"

#include <algorithm>

namespace bashcell::supervisor {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

int64_t characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return !continues(byte); });
}

}  // namespace

KeptLine LineBuffer::line_at(size_t begin) const { return line(begin, std::min(text.find('\n', begin), text.size())); }

KeptLine LineBuffer::line_before(size_t end) const {
  const size_t newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  return line(newline == std::string::npos ? 0 : newline + 1, end);
}

KeptLine LineBuffer::line(size_t begin, size_t end) const {
  const std::string_view whole = std::string_view(text).substr(begin, end - begin);
  const auto cut = std::lower_bound(cuts.begin(), cuts.end(), begin, [](const Cut& c, size_t at) { return c.at < at; });
  if (cut == cuts.end() || cut->at > end) return {whole, {}, 0, 0};
  return {whole.substr(0, cut->at - begin), whole.substr(cut->at - begin), cut->bytes, cut->characters};
}

// Bytes kept against costs: a character costs at least 1 and is at most 3 bytes long for each 1 it costs.
// - An end of a long line is shown for at most max_line, and of two ends together: 2 bytes for 1 are enough for each.
// - A line is kept in at most 4 * max_line bytes, and if it is that long, shown for about a third of the budget or
// more;
//   so 40 % of any budget up to max_chars are covered by 2 * max_chars bytes, and all of it by 4 * max_chars, and a
//   line.
LineStore::LineStore(size_t max_line, size_t max_chars)
    : part_bytes_(2 * max_line),
      first_bytes_(2 * max_chars + 4 * max_line),
      last_bytes_(4 * max_chars + 4 * max_line) {}

void LineStore::add(std::string_view text) {
  while (!text.empty()) {
    if (long_) {
      const size_t newline = text.find('\n');
      append_long(text.substr(0, newline));
      text.remove_prefix(std::min(newline, text.size()));
      if (text.empty()) break;
      end_line();
      text.remove_prefix(1);
      continue;
    }
    // As much as surely has no long line in it: up to the limit, or to the last newline before it.
    const size_t open_bytes = open_buffer().text.size() - line_begin_;
    const size_t room = 2 * part_bytes_ - open_bytes;
    size_t taken = text.size();
    if (taken > room) {
      const size_t newline = text.rfind('\n', room);
      if (newline == std::string_view::npos) {
        long_ = true;
        cut_ = {};
        continue;
      }
      taken = newline + 1;
    }
    append_short(text.substr(0, taken));
    text.remove_prefix(taken);
  }
}

void LineStore::append_short(std::string_view text) {
  LineBuffer& buffer = open_buffer();
  const size_t before = buffer.text.size();
  buffer.text += text;
  const size_t newline = text.rfind('\n');
  if (newline == std::string_view::npos) return;
  line_begin_ = before + newline + 1;
  forget_old_lines();
}

void LineStore::append_long(std::string_view text) {
  LineBuffer& buffer = open_buffer();
  buffer.text += text;
  if (cut_.at == 0) {
    cut_.at = line_begin_ + part_bytes_;
    while (continues(buffer.text[cut_.at])) --cut_.at;
  }
  if (buffer.text.size() - cut_.at > 4 * part_bytes_) shorten_open_line();
}

void LineStore::shorten_open_line() {
  std::string& text = open_buffer().text;
  if (text.size() - cut_.at <= part_bytes_) return;
  size_t end = text.size() - part_bytes_;
  while (end < text.size() && continues(text[end])) ++end;
  const std::string_view dropped = std::string_view(text).substr(cut_.at, end - cut_.at);
  cut_.bytes += static_cast<int64_t>(dropped.size());
  cut_.characters += characters(dropped);
  text.erase(cut_.at, dropped.size());
}

void LineStore::end_line() {
  LineBuffer& buffer = open_buffer();
  if (long_) {
    shorten_open_line();
    buffer.cuts.push_back(cut_);
    long_ = false;
  }
  buffer.text += '\n';
  line_begin_ = buffer.text.size();
  forget_old_lines();
}

void LineStore::forget_old_lines() {
  if (!first_full_) {
    // Only between lines. How far first_ goes depends on the pieces added; nothing that is shown does.
    if (first_.text.size() < first_bytes_) return;
    first_full_ = true;
    last_.text.assign(first_.text, line_begin_);
    first_.text.resize(line_begin_);
    line_begin_ = 0;
    return;
  }
  if (last_.text.size() < 2 * last_bytes_) return;
  const size_t newline = last_.text.rfind('\n', last_.text.size() - last_bytes_);
  if (newline == std::string::npos) return;
  const size_t gone = newline + 1;
  dropped_ = true;
  last_.text.erase(0, gone);
  line_begin_ -= gone;
  auto& cuts = last_.cuts;
  cuts.erase(cuts.begin(), std::find_if(cuts.begin(), cuts.end(), [&](const auto& cut) { return cut.at >= gone; }));
  for (LineBuffer::Cut& cut : cuts) cut.at -= gone;
}

void LineStore::close() {
  if (long_) {
    shorten_open_line();
    open_buffer().cuts.push_back(cut_);
    long_ = false;
  }
  if (dropped_) return;
  const size_t offset = first_.text.size();
  first_.text += last_.text;
  for (LineBuffer::Cut cut : last_.cuts) {
    cut.at += offset;
    first_.cuts.push_back(cut);
  }
  last_ = {};
}

}  // namespace bashcell::supervisor
