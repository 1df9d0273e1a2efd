#include "supervisor/output/binary_gate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/quantity.h"
#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kWindow = 512;
constexpr size_t kLeastShare = 4;            // one byte of so many
constexpr size_t kEnough = 1024;             // bytes of text that end binary data
constexpr size_t kEnoughInAFormat = 16'384;  // the same in one that name_of() knows
constexpr size_t kLongestMagic = 16;

enum class Kind : uint8_t { kText, kEncoded, kNul, kNever };

// kNever: in no text, whatever stands beside it. kEncoded: text if it is valid UTF-8.
constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (size_t byte = 0x80; byte < 0x100; ++byte) kinds[byte] = Kind::kEncoded;
  for (size_t byte = 1; byte < 0x20; ++byte) kinds[byte] = Kind::kNever;
  // Bell to carriage return, shifts between character sets, escape.
  for (size_t byte = 0x07; byte <= 0x0F; ++byte) kinds[byte] = Kind::kText;
  kinds[0x1B] = Kind::kText;
  kinds[0x7F] = kinds[0xC0] = kinds[0xC1] = Kind::kNever;
  for (size_t byte = 0xF5; byte < 0x100; ++byte) kinds[byte] = Kind::kNever;
  kinds[0] = Kind::kNul;
  return kinds;
}();

Kind kind_of(char byte) { return kKinds[static_cast<unsigned char>(byte)]; }

// Skips blocks of ASCII text. Written so that compilers can look at many bytes at once.
size_t skip_ascii_text(std::string_view raw, size_t at) {
  constexpr size_t kBlock = 64;
  for (; raw.size() - at >= kBlock; at += kBlock) {
    uint8_t odd = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const auto c = static_cast<unsigned char>(raw[at + i]);
      const bool printable = static_cast<unsigned char>(c - 0x20) < 0x5F;
      const bool control = static_cast<unsigned char>(c - 0x07) < 0x09;
      odd |= static_cast<uint8_t>(!(printable | control | (c == 0x1B)));
    }
    if (odd != 0) break;
  }
  return at;
}

// The first byte from `at` on that is no text, a NUL included; the size when there is none. A character whose
// rest is not there is text, or not.
size_t find_foreign(std::string_view raw, size_t at, bool unfinished_is_foreign = false) {
  while (at < raw.size()) {
    const Kind kind = kind_of(raw[at]);
    if (kind == Kind::kText) {
      at = skip_ascii_text(raw, at);
      while (at < raw.size() && kind_of(raw[at]) == Kind::kText) ++at;
    } else if (kind != Kind::kEncoded) {
      return at;
    } else {
      const base::Utf8Step step = base::utf8_step(raw.substr(at));
      if (step.incomplete) return unfinished_is_foreign ? at : raw.size();
      if (!step.valid) return at;
      at += step.length;
    }
  }
  return at;
}

// A lone NUL is none of them.
size_t count_foreign(std::string_view raw) {
  size_t count = 0;
  bool before = false;
  size_t end = 0;
  for (size_t at = find_foreign(raw, 0); at < raw.size(); at = find_foreign(raw, at + 1)) {
    const bool beside = before && at == end;
    if (kind_of(raw[at]) != Kind::kNul || beside) ++count;
    before = true;
    end = at + 1;
  }
  return count;
}

struct Magic {
  std::string_view bytes;
  std::string_view name;
};

constexpr std::array kMagics{
    Magic{"\x7F"
          "ELF",
          "an ELF program"},
    Magic{"\x89PNG", "a PNG image"},
    Magic{"\xFF\xD8\xFF", "a JPEG image"},
    Magic{"GIF8", "a GIF image"},
    Magic{"\x1F\x8B", "gzip"},
    Magic{"BZh", "bzip2"},
    Magic{"\xFD"
          "7zXZ",
          "xz"},
    Magic{"\x28\xB5\x2F\xFD", "zstd"},
    Magic{"PK\x03\x04", "a zip archive"},
    Magic{"%PDF-", "a PDF document"},
    Magic{"SQLite format 3", "an SQLite database"},
    Magic{"!<arch>", "an ar archive"},
    Magic{"RIFF", "RIFF"},
    Magic{"OggS", "Ogg"},
};

std::string_view name_of(std::string_view beginning) {
  for (const Magic& magic : kMagics) {
    if (beginning.starts_with(magic.bytes)) return magic.name;
  }
  return {};
}

size_t line_start(std::string_view raw, size_t before) {
  const size_t newline = raw.substr(0, before).rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

}  // namespace

void BinaryGate::add(std::string_view raw, std::string& text) {
  if (held_.empty()) {
    held_ = raw.substr(work(raw, false, text));
    return;
  }
  held_ += raw;
  held_.erase(0, work(held_, false, text));
}

void BinaryGate::finish(std::string& text) { work(held_, true, text); }

// Returns how many bytes need not be held back.
size_t BinaryGate::work(std::string_view raw, bool last, std::string& text) {
  size_t done = 0;
  for (;;) {
    const std::string_view rest = raw.substr(done);
    const bool was_binary = binary_;
    done += was_binary ? take_binary(rest, last) : pass_text(rest, last, text);
    if (was_binary && !binary_) write_mark(text);
    if (was_binary == binary_) return done;
  }
}

// Returns how many bytes were given. Held back are: a short beginning of a line, which may be that of a file format;
// and, from the first foreign byte on, what is needed to judge it.
size_t BinaryGate::pass_text(std::string_view raw, bool last, std::string& text) {
  size_t done = 0;
  for (;;) {
    const size_t foreign = find_foreign(raw, done, true);
    const std::string_view window = raw.substr(foreign, kWindow);
    const size_t start = std::max(done, line_start(raw, foreign));
    const bool whole_line = start > done || line_bytes_ == 0;
    const bool may_be_magic = whole_line && foreign - start <= kLongestMagic;
    if (!last && window.size() < kWindow) {
      const size_t end = may_be_magic ? start : foreign;
      give(raw.substr(done, end - done), text);
      return end;
    }
    if (window.size() < kWindow || count_foreign(window) * kLeastShare < kWindow) {
      const size_t end = foreign + window.size();
      give(raw.substr(done, end - done), text);
      done = end;
      if (done == raw.size()) return done;
      continue;
    }
    const bool is_magic = may_be_magic && !name_of(raw.substr(start)).empty();
    const size_t begin = is_magic ? start : foreign;
    give(raw.substr(done, begin - done), text);
    binary_ = true;
    return begin;
  }
}

// Returns how many bytes were taken: up to the last foreign byte that is near enough to the one before.
size_t BinaryGate::take_binary(std::string_view raw, bool last) {
  if (here_ == 0) beginning_ = raw.substr(0, kLongestMagic);
  const size_t enough = name_of(beginning_).empty() ? kEnough : kEnoughInAFormat;
  size_t at = 0;
  bool ended = false;
  while (raw.size() - at >= enough) {
    const std::string_view window = raw.substr(at, enough);
    const auto found = std::find_if(window.rbegin(), window.rend(), [](char byte) {
      return kind_of(byte) == Kind::kNul || kind_of(byte) == Kind::kNever;
    });
    if (found != window.rend()) {
      at += static_cast<size_t>(window.rend() - found);
      continue;
    }
    const size_t foreign = find_foreign(window, 0);
    if (foreign == window.size()) {
      ended = true;
      break;
    }
    at += foreign + 1;
  }
  // Near the end there may be more of it.
  for (size_t next = at; !ended && (next = find_foreign(raw, at)) < raw.size();) at = next + 1;
  here_ += static_cast<int64_t>(at);
  binary_ = !ended && !last;
  return at;
}

void BinaryGate::give(std::string_view raw, std::string& text) {
  if (raw.empty()) return;
  if (std::exchange(after_mark_, false) && raw.front() != '\n') text += '\n';
  text += raw;
  const size_t newline = raw.rfind('\n');
  line_bytes_ = newline == std::string_view::npos ? line_bytes_ + raw.size() : raw.size() - newline - 1;
}

void BinaryGate::write_mark(std::string& text) {
  if (line_bytes_ > 0 || after_mark_) text += '\n';
  const std::string_view name = name_of(beginning_);
  text += "[... " + base::counted(here_, "byte") + " of binary data" +
          (name.empty() ? std::string() : " (" + std::string(name) + ")") + " left out ...]";
  taken_ += std::exchange(here_, 0);
  line_bytes_ = 1;
  after_mark_ = true;
}

}  // namespace bashcell::supervisor
