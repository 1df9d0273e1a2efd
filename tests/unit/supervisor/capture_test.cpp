#include "supervisor/output/capture.h"

#include <malloc.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "../../support/temporary_folder.h"
#include "base/file.h"
#include "base/utf8.h"
#include "output_samples.h"

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kFloodMegabytes = 128;  // some ten times slower
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#else
constexpr size_t kFloodMegabytes = 1024;
#endif

namespace fs = std::filesystem;
using bashcell::TemporaryFolder;
using bashcell::base::json_cost;
using bashcell::supervisor::Capture;
using bashcell::supervisor::CaptureResult;
using bashcell::supervisor::chars_only;
using bashcell::supervisor::Dice;
using bashcell::supervisor::SpillStore;

namespace {

// Bytes that the program holds by malloc and new.
size_t allocated() {
#if defined(__SANITIZE_ADDRESS__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

CaptureResult captured(const std::string& raw, size_t budget, SpillStore& store, const std::string& prefix = "") {
  Capture capture(7, chars_only(budget), prefix, store);
  capture.add(raw);
  return std::move(capture).finish(budget);
}

}  // namespace

TEST_CASE("output that fits is only text: no file, nothing left out [C37]") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  const CaptureResult result =
      captured("script: line 1: `HIDDENif then'\n\033[31mred\033[0m\n\n", 7500, store, "HIDDEN");
  CHECK(result.text == "script: line 1: `if then'\nred");
  CHECK(result.total_lines == 2);
  CHECK(result.total_bytes == static_cast<int64_t>(result.text.size()));
  CHECK(result.left_out_lines == 0);
  CHECK(result.left_out_bytes == 0);
  CHECK(result.spill.empty());
  CHECK(result.spill_problem.empty());
  CHECK(captured("", 7500, store).text.empty());
  CHECK(captured("\n\n", 7500, store).total_lines == 0);
  CHECK(!fs::exists(tmp.path() / ".cell"));
}

TEST_CASE("what is left out is in the file, raw") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  std::string raw;
  for (int i = 0; i < 5000; ++i) raw += "\033[1m" + std::to_string(i) + "\r\n";
  const CaptureResult result = captured(raw, 2000, store);
  CHECK(json_cost(result.text) <= 2000);
  CHECK(result.left_out_lines > 4000);
  CHECK(result.spill == tmp.path() / ".cell/out/7");
  CHECK(bashcell::base::read_file(result.spill).value() == raw);
}

TEST_CASE("a redrawn line of any length needs no file in the end [C58]") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  std::string raw;
  for (int i = 0; i <= 100'000; ++i) raw += "\r" + std::to_string(i) + " done";
  const CaptureResult result = captured(raw + "\n", 200, store);
  CHECK(result.text == "100000 done");
  CHECK(result.spill.empty());
  CHECK(fs::is_empty(tmp.path() / ".cell/out"));
}

TEST_CASE("a small budget at the end cuts what a large one would have held, and writes the file then") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  const std::string raw(1000, 'x');
  Capture capture(3, chars_only(7500), "", store);
  capture.add(raw);
  const CaptureResult result = std::move(capture).finish(1000, 100);
  CHECK(result.text == raw);
  Capture smaller(4, chars_only(7500), "", store);
  smaller.add(raw);
  const CaptureResult cut = std::move(smaller).finish(999, 100);
  CHECK(json_cost(cut.text) <= 899);
  CHECK(bashcell::base::read_file(cut.spill).value() == raw);
}

TEST_CASE("without a place for the file the text is the same, and the problem is told") {
  SpillStore store("/proc/nowhere");
  const CaptureResult result = captured(std::string(100'000, 'x'), 500, store);
  CHECK(json_cost(result.text) > 490);
  CHECK(result.spill.empty());
  CHECK(result.spill_problem == "cannot open /proc/nowhere: No such file or directory");
}

TEST_CASE("a dropped capture leaves no file") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  { Capture(1, chars_only(200), "", store).add(std::string(100'000, 'x')); }
  CHECK(fs::is_empty(tmp.path() / ".cell/out"));
}

TEST_CASE("random bytes in random pieces: one result, plain text, within the budget [C54]") {
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Dice dice(seed);
    std::string raw = bashcell::supervisor::messy_bytes(dice, 1000, "PRE");
    for (int i = 0; i < 3000; ++i) raw += static_cast<char>(dice.roll(256));
    const size_t budget = 200 + dice.roll(4000);
    CAPTURE(seed, budget);
    const CaptureResult whole = captured(raw, budget, store, "PRE");
    REQUIRE(bashcell::base::is_valid_utf8(whole.text));
    REQUIRE(json_cost(whole.text) <= budget);
    Capture capture(8, chars_only(budget), "PRE", store);
    in_pieces(raw, dice, 1 + dice.roll(300), [&](std::string_view piece) { capture.add(piece); });
    const CaptureResult pieced = std::move(capture).finish(budget);
    REQUIRE(pieced.text == whole.text);
    REQUIRE(pieced.total_bytes == whole.total_bytes);
    REQUIRE(pieced.left_out_bytes == whole.left_out_bytes);
    REQUIRE(pieced.left_out_lines == whole.left_out_lines);
  }
}

TEST_CASE("a gigabyte costs no more memory than a megabyte [C50] [C51]") {
  // What repeats: short lines, one endless line, bytes of every kind, newlines only, redrawing without end.
  std::string noise;
  Dice dice(1);
  for (int i = 0; i < 65'536; ++i) noise += static_cast<char>(dice.roll(256));
  const auto repeated = [](const std::string& part) {
    std::string piece;
    while (piece.size() < 65'536) piece += part;
    return piece;
  };
  struct Stream {
    std::string piece;
    size_t megabytes;
  };
  std::vector<Stream> streams{
      {repeated("y\n"), kFloodMegabytes},    {repeated("A"), kFloodMegabytes / 4}, {noise, 4},
      {repeated("\n"), kFloodMegabytes / 4}, {repeated("\rprogress \b"), 4},       {repeated("\033]0;"), 4}};
  const TemporaryFolder tmp;
  SpillStore store(tmp.path());
  for (const Stream& stream : streams) {
    CAPTURE(stream.piece.substr(0, 10));
    const size_t before = allocated();
    size_t most = 0;
    Capture capture(1, chars_only(7500), "PREFIX", store);
    for (size_t sent = 0; sent < stream.megabytes << 20U; sent += stream.piece.size()) {
      capture.add(stream.piece);
      most = std::max(most, allocated());
    }
    const CaptureResult result = std::move(capture).finish(7500, 150);
    CHECK(most - std::min(before, most) < (768U << 10U));
    CHECK(json_cost(result.text) <= 7500);
    if (result.left_out_bytes > 0) {
      CHECK(fs::file_size(result.spill) <= store.limits().file_bytes);
      CHECK(result.spill_cut == (stream.megabytes > 32));
    }
  }
}
