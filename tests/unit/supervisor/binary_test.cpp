#include "supervisor/output/binary.h"

#include <catch2/catch.hpp>

#include "output_samples.h"

using namespace bashcell::supervisor;

namespace {

BinaryDetector seen(std::string_view raw, size_t piece = 1'000'000) {
  BinaryDetector detector;
  for (; !raw.empty(); raw.remove_prefix(std::min(piece, raw.size()))) detector.add(raw.substr(0, piece));
  return detector;
}

std::string random_bytes(size_t count) {
  Dice dice(7);
  std::string bytes;
  while (bytes.size() < count) bytes += static_cast<char>(dice.roll(256));
  return bytes;
}

}  // namespace

TEST_CASE("binary output is told, with its kind") {
  CHECK(seen(random_bytes(600)).is_binary());
  CHECK(seen(random_bytes(600)).kind() == "data");
  CHECK(seen("\x1f\x8b\x08" + random_bytes(10'000)).kind() == "gzip data");
  CHECK(seen("\x89PNG\r\n\x1a\n" + random_bytes(10'000), 3).is_binary());
  CHECK(seen("\x89PNG\r\n\x1a\n" + random_bytes(10'000), 3).kind() == "PNG image");
  CHECK(seen("\x7f"
             "ELF" +
             std::string(5'000, '\0'))
            .is_binary());
  CHECK(seen("\x7f"
             "ELF" +
             std::string(5'000, '\0'))
            .bytes() == 5004);
}

TEST_CASE("text is not binary, whatever is in it") {
  std::string every_byte;
  for (int c = 0; c < 256; ++c) every_byte += static_cast<char>(c);
  CHECK_FALSE(seen(every_byte).is_binary());
  CHECK_FALSE(seen(random_bytes(500)).is_binary());
  std::string names;
  for (int i = 0; i < 500; ++i) names += "./file" + std::to_string(i) + std::string(1, '\0');
  CHECK_FALSE(seen(names).is_binary());
  std::string progress;
  for (int i = 0; i < 500; ++i) progress += "\r\033[K" + std::to_string(i) + "%\b\b\x07";
  CHECK_FALSE(seen(progress).is_binary());
  std::string japanese;
  for (int i = 0; i < 2'000; ++i) japanese += "\xe6\x97\xa5\xe6\x9c\xac";
  CHECK_FALSE(seen(japanese).is_binary());
  CHECK_FALSE(seen(japanese, 7).is_binary());
  std::string latin1;
  for (int i = 0; i < 300; ++i) latin1 += "un caf\xe9 na\xefve vaut bien un sourire, ";
  CHECK_FALSE(seen(latin1).is_binary());
}
