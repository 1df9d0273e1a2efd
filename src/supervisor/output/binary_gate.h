#pragma once
// Takes binary data out of a raw stream, and puts a line in its place that says how much of what it was.
//
// Binary data begins where 512 bytes hold at least 128 that no text has: control bytes that no terminal knows, bytes
// that are not UTF-8, NULs beside each other. It goes on until 1,024 bytes of text follow each other, 16 KB in a format
// that is known (programs hold long texts), and ends behind its last such byte: what was printed after it is shown.
// Less than 512 bytes of it are not taken out. A NUL by itself (find -print0, UTF-16) makes no binary data of a text.
//
// What comes out does not depend on how the input was cut into pieces. Memory: 20 KB on top of the piece.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bashcell::supervisor {

class BinaryGate {
 public:
  // Appends to `text` what is text for sure by now.
  void add(std::string_view raw, std::string& text);
  // Appends what was held back. Call once.
  void finish(std::string& text);

  // Bytes that were taken out.
  int64_t bytes() const { return taken_; }

 private:
  size_t work(std::string_view raw, bool last, std::string& text);
  size_t pass_text(std::string_view raw, bool last, std::string& text);
  size_t take_binary(std::string_view raw, bool last);
  void give(std::string_view raw, std::string& text);
  void write_mark(std::string& text);

  std::string held_;
  bool binary_ = false;
  size_t line_bytes_ = 0;  // of the open line that were given
  bool after_mark_ = false;
  int64_t here_ = 0;       // bytes of the binary data that is being taken out
  std::string beginning_;  // of it
  int64_t taken_ = 0;
};

}  // namespace bashcell::supervisor
