#pragma once
// Tells output that is no text at all (an image, an archive, a program) from text with some odd bytes in it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bashcell::supervisor {

// Looks at the first bytes of a stream. Text in any encoding that is a superset of ASCII, terminal control, and lists
// that NUL separates (find -print0) are not binary.
class BinaryDetector {
 public:
  void add(std::string_view raw);

  // Of a stream of at least 512 bytes: more than a sixth of the first 4 KB are control bytes or invalid UTF-8.
  bool is_binary() const;
  // By its first bytes: "gzip data", "PNG image"; "data" when they are not known.
  std::string_view kind() const;
  int64_t bytes() const { return bytes_; }

 private:
  std::string first_;
  int64_t bytes_ = 0;
};

}  // namespace bashcell::supervisor
