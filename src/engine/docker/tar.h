#pragma once
// The few kinds of entries that are sent into containers, as a POSIX ustar archive (pax(1), "ustar Interchange
// Format").

#include <cstdint>
#include <string>
#include <string_view>

namespace bashcell::engine::docker {

class TarWriter {
 public:
  // Paths are relative, at most 99 bytes; contents under 8 GiB.
  void add_folder(std::string_view path, unsigned mode, uint32_t uid, uint32_t gid);
  void add_file(std::string_view path, unsigned mode, std::string_view content);
  void add_link(std::string_view path, std::string_view target);

  // With the end mark. Once.
  std::string finish() &&;

 private:
  void add_header(std::string_view path, char type, unsigned mode, size_t size, std::string_view target, uint32_t uid,
                  uint32_t gid);

  std::string tar_;
};

// The content of the first file in an archive; empty if there is none. Knows pax headers only to skip them.
std::string_view first_file_of(std::string_view tar);

}  // namespace bashcell::engine::docker
