#include "engine/docker/tar.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace bashcell::engine::docker {

namespace {

constexpr size_t kBlock = 512;

// Offsets and sizes of the ustar header's fields.
constexpr size_t kName = 0;
constexpr size_t kMode = 100;
constexpr size_t kUid = 108;
constexpr size_t kGid = 116;
constexpr size_t kSize = 124;
constexpr size_t kTime = 136;
constexpr size_t kChecksum = 148;
constexpr size_t kType = 156;
constexpr size_t kTarget = 157;
constexpr size_t kMagic = 257;

void put(std::string& block, size_t at, std::string_view text) { block.replace(at, text.size(), text); }

// Octal digits, filling the field up to its final NUL.
void put_number(std::string& block, size_t at, size_t digits, uint64_t value) {
  for (size_t i = digits; i-- > 0; value /= 8) block[at + i] = static_cast<char>('0' + value % 8);
}

size_t padded(size_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

}  // namespace

void TarWriter::add_header(std::string_view path, char type, unsigned mode, size_t size, std::string_view target,
                           uint32_t uid, uint32_t gid) {
  std::string block(kBlock, '\0');
  put(block, kName, path.substr(0, 99));
  put_number(block, kMode, 7, mode);
  put_number(block, kUid, 7, uid);
  put_number(block, kGid, 7, gid);
  put_number(block, kSize, 11, size);
  put_number(block, kTime, 11, 0);
  put(block, kChecksum, "        ");
  block[kType] = type;
  put(block, kTarget, target.substr(0, 99));
  put(block, kMagic, std::string_view("ustar\00000", 8));
  const unsigned sum = std::accumulate(block.begin(), block.end(), 0U,
                                       [](unsigned all, char c) { return all + static_cast<unsigned char>(c); });
  put_number(block, kChecksum, 6, sum);
  block[kChecksum + 6] = '\0';
  tar_ += block;
}

void TarWriter::add_folder(std::string_view path, unsigned mode, uint32_t uid, uint32_t gid) {
  add_header(path, '5', mode, 0, {}, uid, gid);
}

void TarWriter::add_file(std::string_view path, unsigned mode, std::string_view content) {
  add_header(path, '0', mode, content.size(), {}, 0, 0);
  tar_ += content;
  tar_.resize(padded(tar_.size()), '\0');
}

void TarWriter::add_link(std::string_view path, std::string_view target) {
  add_header(path, '2', 0777, 0, target, 0, 0);
}

std::string TarWriter::finish() && {
  tar_.append(2 * kBlock, '\0');
  return std::move(tar_);
}

std::string_view first_file_of(std::string_view tar) {
  while (tar.size() >= kBlock && tar[0] != '\0') {
    const char* digits = tar.data() + kSize;
    size_t size = 0;
    const auto [end, error] = std::from_chars(digits, digits + 12, size, 8);
    if (error != std::errc() || end == digits || size > tar.size() - kBlock) return {};
    const char type = tar[kType];
    if (type == '0' || type == '\0') return tar.substr(kBlock, size);
    const size_t next = kBlock + padded(size);
    if (next > tar.size()) return {};
    tar.remove_prefix(next);
  }
  return {};
}

}  // namespace bashcell::engine::docker
