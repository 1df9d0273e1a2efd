#include "supervisor/output/binary_gate.h"

#include <catch2/catch.hpp>

#include "output_samples.h"

using bashcell::supervisor::BinaryGate;
using bashcell::supervisor::Dice;

namespace {

std::string noise(Dice& dice, size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(dice.roll(256));
  return bytes;
}

std::string mark(const std::string& bytes, const std::string& what = "") {
  return "[... " + bytes + " bytes of binary data" + what + " left out ...]";
}

std::string passed(const std::string& raw, int64_t* taken = nullptr) {
  BinaryGate gate;
  std::string text;
  gate.add(raw, text);
  gate.finish(text);
  if (taken != nullptr) *taken = gate.bytes();
  return text;
}

// The same in pieces.
std::string passed_in_pieces(const std::string& raw, Dice& dice, size_t largest) {
  BinaryGate gate;
  std::string text;
  bashcell::supervisor::in_pieces(raw, dice, largest, [&](std::string_view piece) { gate.add(piece, text); });
  gate.finish(text);
  return text;
}

}  // namespace

TEST_CASE("text passes as it is, in any encoding of a terminal's") {
  std::string names;
  for (int i = 0; i < 200; ++i) names += "./src/file " + std::to_string(i) + '\0';
  std::string utf16;
  for (int i = 0; i < 400; ++i) utf16 += {"some text\n"[i % 10], '\0'};
  std::string latin;
  for (int i = 0; i < 50; ++i)
    latin +=
        "Stra\xDF"
        "e und Gr\xFC\xDF"
        "e aus M\xFCnchen\n";
  std::string colours;
  for (int i = 0; i < 200; ++i) colours += "\033[31mred\033[0m \033]0;title\007\r\b";
  std::string greek;
  for (int i = 0; i < 400; ++i) greek += "\xCE\xB1\xE2\x82\xAC\xF0\x9F\x98\x80";
  for (const std::string& text : {names, utf16, latin, colours, greek, std::string(), std::string("PK\n")}) {
    int64_t taken = 0;
    CHECK(passed(text, &taken) == text);
    CHECK(taken == 0);
  }
}

TEST_CASE("a little of it stays [C54] [C55]") {
  Dice dice(1);
  const std::string few = noise(dice, 500);
  CHECK(passed(few) == few);
  CHECK(passed(std::string("a\0b\1c\177d\n", 8)) == std::string("a\0b\1c\177d\n", 8));
}

TEST_CASE("binary data becomes one line, and what was printed around it is shown [C54] [C55]") {
  CHECK(passed(std::string(100'000, '\0') + "end\n") == mark("100,000") + "\nend\n");
  CHECK(passed("before\n" + std::string(2000, '\1') + "\nafter\n") == "before\n" + mark("2,000") + "\nafter\n");
  CHECK(passed("on the same line: " + std::string(600, '\1')) == "on the same line: \n" + mark("600"));
  Dice dice(2);
  std::string raw = noise(dice, 30'000) + "\1";
  raw[0] = '\2';
  CHECK(passed(raw + "\nok3\n") == mark("30,001") + "\nok3\n");
  const std::string text(1100, 'x');
  CHECK(passed(raw + text + raw) == mark("30,001") + "\n" + text + "\n" + mark("30,001"));
  CHECK(passed(raw + "a short text" + raw) == mark("60,014"));
}

TEST_CASE("known formats are named, with the beginning that looks like text") {
  Dice dice(3);
  const std::string rest = "\1\2" + noise(dice, 3000) + "\3";
  CHECK(passed("\x7F"
               "ELF" +
               rest) == mark("3,007", " (an ELF program)"));
  CHECK(passed("here:\n" + std::string("PK\3\4") + rest) == "here:\n" + mark("3,007", " (a zip archive)"));
  CHECK(passed("\x89PNG\r\n\x1A\n" + rest) == mark("3,011", " (a PNG image)"));
  CHECK(passed("SQLite format 3" + std::string(1, '\0') + rest) == mark("3,019", " (an SQLite database)"));
  // Not at the beginning of a line: those letters are text.
  CHECK(passed("some words and PK" + rest) == "some words and PK\n" + mark("3,003"));
}

TEST_CASE("text and binary data in any order and in any pieces: one result, and no byte is lost count of") {
  for (uint32_t seed = 0; seed < 80; ++seed) {
    Dice dice(seed);
    std::string raw;
    for (int part = 0; part < 6; ++part) {
      const size_t size = dice.roll(3000);
      if (dice.roll(2) == 0) {
        raw += noise(dice, size);
      } else if (dice.roll(2) == 0) {
        raw += std::string(size, '\0');
      } else {
        raw += bashcell::supervisor::clean_text(dice, 1 + dice.roll(20), 200);
      }
    }
    CAPTURE(seed);
    int64_t taken = 0;
    const std::string whole = passed(raw, &taken);
    for (const size_t largest : {1U, 7U, 600U, 5000U}) REQUIRE(passed_in_pieces(raw, dice, largest) == whole);
    std::string rest = whole;
    int64_t marks = 0;
    for (size_t at = rest.find("[... "); at != std::string::npos; at = rest.find("[... ", at)) {
      const size_t end = rest.find("left out ...]", at);
      rest.erase(at, end + 13 - at);
      ++marks;
    }
    // What is not text is in the count; each mark may have brought a newline before and after it.
    const int64_t shown = static_cast<int64_t>(rest.size());
    REQUIRE(shown + taken >= static_cast<int64_t>(raw.size()));
    REQUIRE(shown + taken <= static_cast<int64_t>(raw.size()) + 2 * marks);
  }
}
