#include "supervisor/output/binary.h"

#include <algorithm>

#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kLookedAt = 4096;
constexpr int64_t kLeast = 512;
constexpr size_t kOneIn = 6;  // so many bytes may be odd in text

struct Magic {
  std::string_view start;
  std::string_view kind;
};

using namespace std::string_view_literals;

constexpr std::array kMagics{Magic{"\x1f\x8b"sv, "gzip data"},
                             Magic{"PK\x03\x04"sv, "ZIP archive"},
                             Magic{"\x89PNG\r\n"sv, "PNG image"},
                             Magic{"\xff\xd8\xff"sv, "JPEG image"},
                             Magic{"GIF8"sv, "GIF image"},
                             Magic{"%PDF-"sv, "PDF document"},
                             Magic{"\x7f"
                                   "ELF"sv,
                                   "ELF program"},
                             Magic{"\xfd"
                                   "7zXZ"sv,
                                   "xz data"},
                             Magic{"\x28\xb5\x2f\xfd"sv, "zstd data"},
                             Magic{"BZh"sv, "bzip2 data"},
                             Magic{"SQLite format 3"sv, "SQLite database"},
                             Magic{"RIFF"sv, "RIFF data"},
                             Magic{"OggS"sv, "Ogg data"},
                             Magic{"ID3"sv, "MP3 audio"},
                             Magic{"\0asm"sv, "WebAssembly"},
                             Magic{"7z\xbc\xaf"sv, "7z archive"},
                             Magic{"PAR1"sv, "Parquet file"},
                             Magic{"\x80\x04"sv, "pickle"},
                             Magic{"\x93NUMPY"sv, "NumPy array"}};

// Odd: control bytes but those of terminals and NUL, and bytes that are no UTF-8. NUL is odd beside another one only.
size_t odd_bytes(std::string_view text) {
  size_t odd = 0;
  char before = 'x';
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    size_t length = 1;
    if (byte < 0x20 || byte == 0x7f) {
      const bool of_terminals =
          byte == '\n' || byte == '\t' || byte == '\r' || byte == '\b' || byte == 0x1b || byte == 0x07 || byte == 0x0c;
      if (byte == 0 ? before == '\0' : !of_terminals) ++odd;
    } else if (byte >= 0x80) {
      length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (at + length > text.size()) break;  // cut by the end of what is looked at
      if (!base::is_valid_utf8(text.substr(at, length))) {
        ++odd;
        length = 1;
      }
    }
    before = text[at];
    at += length;
  }
  return odd;
}

}  // namespace

void BinaryDetector::add(std::string_view raw) {
  bytes_ += static_cast<int64_t>(raw.size());
  if (first_.size() < kLookedAt) first_ += raw.substr(0, kLookedAt - first_.size());
}

bool BinaryDetector::is_binary() const { return bytes_ >= kLeast && odd_bytes(first_) * kOneIn > first_.size(); }

std::string_view BinaryDetector::kind() const {
  for (const Magic& magic : kMagics) {
    if (std::string_view(first_).substr(0, magic.start.size()) == magic.start) return magic.kind;
  }
  return first_.size() > 262 && first_.compare(257, 5, "ustar") == 0 ? "tar archive" : "data";
}

}  // namespace bashcell::supervisor
