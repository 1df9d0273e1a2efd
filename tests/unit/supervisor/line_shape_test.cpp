// Lines are looked at many bytes at once. Here they are looked at one byte after the other, and the two must agree.

#include "supervisor/output/line_shape.h"

#include <catch2/catch.hpp>
#include <map>

#include "output_samples.h"
#include "supervisor/output/byte_masks.h"

using namespace bashcell::supervisor;

namespace {

bool letter(char c) { return portable::is_letter(static_cast<unsigned char>(c)); }
bool digit(char c) { return portable::is_digit(static_cast<unsigned char>(c)); }
bool blank(char c) { return portable::is_blank(static_cast<unsigned char>(c)); }

// The end of the word at `begin`; numbers have marks between their digits.
size_t end_of_word(const std::string& line, size_t begin) {
  bool number = false;
  size_t at = begin;
  for (; at < line.size(); ++at) {
    if (digit(line[at])) number = true;
    if (digit(line[at]) || letter(line[at])) continue;
    const bool mark = line[at] == '.' || line[at] == ',' || line[at] == ':';
    if (!number || !mark || !digit(line[at - 1]) || at + 1 == line.size() || !digit(line[at + 1])) break;
  }
  return at;
}

std::string spelled_word(const std::string& line, size_t begin, size_t end) {
  const std::string word = line.substr(begin, end - begin);
  if (std::none_of(word.begin(), word.end(), digit)) return word;
  const bool status = begin >= 2 && word.size() == 3 && line[begin - 1] == ' ' && line[begin - 2] == '"';
  return status ? std::string("#") + word[0] : "#";
}

// What two lines of one shape have in common, spelled out.
std::string spelled(const std::string& line) {
  const bool one_path = line.starts_with('/') || line.starts_with("./");
  if (one_path && line.find_first_of(":\t") == std::string::npos) return "a path";
  std::string text;
  for (size_t at = 0; at < line.size();) {
    if (blank(line[at])) {
      while (at < line.size() && blank(line[at])) ++at;
      text += ' ';
      continue;
    }
    std::string field;
    bool path = false;
    while (at < line.size() && !blank(line[at])) {
      if (letter(line[at]) || digit(line[at])) {
        const size_t end = end_of_word(line, at);
        field += spelled_word(line, at, end);
        at = end;
        continue;
      }
      path = path || line[at] == '/';
      const bool sign = line[at] == '-' && at + 1 < line.size() && digit(line[at + 1]);
      if (!sign) field += line[at];
      ++at;
    }
    text += path ? "/" : field;
  }
  return text;
}

std::string random_line(Dice& dice) {
  static const std::vector<std::string> kParts{
      " ",        " ",         "  ",          "\t",    "a",       "b",      "ab",      "ba",      "no",
      "abcdefgh", "abcdefghi", "bcdefghi",    "0",     "7",       "10",     "\" 200",  "1.5",     "1:2",
      "-3",       "-",         ".",           ",",     ":",       "/",      "./",      "\"",      "=",
      "[",        "_",         "caf\xc3\xa9", "error", "error: ", "failed", "warning", "0 errors"};
  std::string line;
  const size_t parts = dice.roll(8) == 0 ? dice.roll(80) : dice.roll(6);
  for (size_t i = 0; i < parts; ++i) line += dice.pick(kParts);
  if (dice.roll(10) == 0) line += std::string(dice.roll(200), dice.roll(2) == 0 ? 'a' : ' ');
  return line;
}

}  // namespace

TEST_CASE("bytes are told apart many at once as one by one") {
  Dice dice(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const size_t size = dice.roll(200);
    const bool ascii = dice.roll(2) == 0;
    while (text.size() < size) text += static_cast<char>(dice.roll(ascii ? 128 : 256));
    const size_t begin = dice.roll(text.size() + 1);
    REQUIRE(byte_masks(text, begin) == portable::byte_masks(text, begin));
    REQUIRE(newline_mask(text, begin) == portable::newline_mask(text, begin));
  }
}

TEST_CASE("two lines have one shape when they spell the same") {
  Dice dice(2);
  std::map<std::string, uint64_t> hash_of;
  std::map<uint64_t, std::string> spelling_of;
  for (int round = 0; round < 30'000; ++round) {
    const std::string line = random_line(dice);
    CAPTURE(line);
    const uint64_t hash = shape_of(line).hash;
    REQUIRE(hash_of.emplace(spelled(line), hash).first->second == hash);
    REQUIRE(spelling_of.emplace(hash, spelled(line)).first->second == spelled(line));
  }
  REQUIRE(hash_of.size() > 5000);
  REQUIRE(hash_of.size() < 25'000);
}

TEST_CASE("trouble is told wherever it stands in a line") {
  Dice dice(3);
  size_t troubles = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string line = "x " + random_line(dice);
    const Weight weight = shape_of(line).weight;
    if (weight != Weight::kPlain) ++troubles;
    for (size_t before = 0; before < 130; ++before) {
      CAPTURE(line, before);
      REQUIRE(shape_of(std::string(before, before % 2 == 0 ? 'x' : '.') + " " + line).weight == weight);
    }
  }
  REQUIRE(troubles > 50);
  REQUIRE(troubles < 350);
}

TEST_CASE("lines of a text have the shapes that they have alone") {
  Dice dice(4);
  for (int round = 0; round < 60; ++round) {
    std::string text;
    for (size_t lines = dice.roll(300); lines > 0; --lines) {
      text += random_line(dice) + '\n';
      if (dice.roll(100) == 0) text += std::string(5000, 'x') + random_line(dice) + '\n';
    }
    LineShapes shapes;
    shapes.begin(text);
    std::string elsewhere(400, ' ');  // its address stays, and what is there changes
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      std::string_view line(text);
      line = line.substr(at, text.find('\n', at) - at);
      const LineShape alone = shape_of(std::string(line));
      if (dice.roll(4) == 0 && line.size() < elsewhere.size()) {
        elsewhere = line;
        line = elsewhere;
      }
      CAPTURE(line);
      const LineShape shape = shapes.shape_of(line);
      REQUIRE(shape.hash == alone.hash);
      REQUIRE(shape.weight == alone.weight);
    }
  }
}

TEST_CASE("a line that no suspect word ends in is plain") {
  Dice dice(5);
  size_t without = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string line = "x " + random_line(dice);
    CAPTURE(line);
    MaskedText text;
    text.look_at(line);
    std::vector<uint32_t> ends;
    find_suspects(text, ends);
    MaskedLine masked(text, 0, line.size());
    if (ends.front() == kNoSuspect) {
      ++without;
      REQUIRE(weight_of(masked) == Weight::kPlain);
    } else {
      REQUIRE(weight_of(masked) == shape_of(line).weight);
    }
  }
  REQUIRE(without > 5000);
  REQUIRE(without < 19'000);
}
