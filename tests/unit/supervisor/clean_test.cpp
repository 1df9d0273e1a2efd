#include "supervisor/output/clean.h"

#include <catch2/catch.hpp>
#include <utility>

#include "base/utf8.h"
#include "output_samples.h"

using bashcell::supervisor::Cleaner;
using bashcell::supervisor::Dice;
using namespace std::string_literals;

namespace {

std::string cleaned(std::string_view raw, const std::string& hidden_prefix = "") {
  Cleaner cleaner(hidden_prefix);
  std::string clean;
  cleaner.add(raw, clean);
  cleaner.finish(clean);
  return clean;
}

std::string cleaned_bytewise(std::string_view raw, const std::string& hidden_prefix = "") {
  Cleaner cleaner(hidden_prefix);
  std::string clean;
  for (const char& byte : raw) cleaner.add({&byte, 1}, clean);
  cleaner.finish(clean);
  return clean;
}

struct Row {
  std::string raw;
  std::string clean;
};

// Whole, byte by byte, and cut in two at every place.
void check(const std::vector<Row>& rows, const std::string& hidden_prefix = "") {
  for (const Row& row : rows) {
    CAPTURE(row.raw);
    CHECK(cleaned(row.raw, hidden_prefix) == row.clean);
    CHECK(cleaned_bytewise(row.raw, hidden_prefix) == row.clean);
    for (size_t at = 1; at < row.raw.size(); ++at) {
      Cleaner cleaner(hidden_prefix);
      std::string clean;
      cleaner.add(std::string_view(row.raw).substr(0, at), clean);
      cleaner.add(std::string_view(row.raw).substr(at), clean);
      cleaner.finish(clean);
      CHECK(clean == row.clean);
    }
  }
}

bool is_plain_text(std::string_view text) {
  if (!bashcell::base::is_valid_utf8(text)) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return false;
    if (c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("plain text passes unchanged") {
  check({{"", ""},
         {"a", "a"},
         {"\n", "\n"},
         {"abc", "abc"},
         {"a\n\n", "a\n\n"},
         {"one\ntwo\n\tthree", "one\ntwo\n\tthree"},
         {"tail\\", "tail\\"},
         {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n"},
         {"\xc2\xa0", "\xc2\xa0"}});
}

TEST_CASE("a carriage return redraws the line [C58]") {
  check({{"one\r\ntwo\r\n", "one\ntwo\n"},
         {"abcdef\rXY\n", "XYcdef\n"},
         {"\rabc", "abc"},
         {"abc\r", "abc"},
         {"abc\r\r\n", "abc\n"},
         {"ab\rcdef\n", "cdef\n"},
         {"\xc3\xa9\xc3\xa9z\rab\n", "abz\n"},
         {"abc\r\xe2\x82\xac\n",
          "\xe2\x82\xac"
          "bc\n"},
         {"  5%\r 50%\r100%\ndone\n", "100%\ndone\n"}});
}

TEST_CASE("a backspace takes back the previous character [C58]") {
  check({{"a\b\bb\n", "b\n"},
         {"\b\b", ""},
         {"abc\b\b\bxyz\n", "xyz\n"},
         {"ab\b \b\n", "a\n"},
         {"\xe2\x82\xac\b!", "!"},
         {"a\n\bb", "a\nb"},
         {"10%\b\b\b20%", "20%"},
         {"abcdef\rXY\bZ\n", "XZcdef\n"}});
}

TEST_CASE("erasing in the line works as on a terminal") {
  check({{"abc\r\033[K12\n", "12\n"},
         {"abcdef\rXY\033[0K\n", "XY\n"},
         {"abcdef\rXY\033[K!\n", "XY!\n"},
         {"abcdef\rXY\033[1K\n", "   def\n"},
         {"abcdef\rXY\033[1K!\n", "  !def\n"},
         {"\xc3\xa9\xc3\xa9\xc3\xa9\r\xc3\xa9\033[1K!\n", " !\xc3\xa9\n"},
         {"abc\033[1K\n", "\n"},
         {"abc\033[1Kx\n", "   x\n"},
         {"abc\033[2K\rde\n", "de\n"},
         {"abc\033[2Kxyz\n", "   xyz\n"},
         {"abc\033[2K\b\bxyz\n", " xyz\n"},
         {"\033[2Kabc\r\033[2Kd\n", "d\n"},
         {"abc\033[1Gxy\n", "xyc\n"},
         {"abc\033[Gxy\033[K\n", "xy\n"},
         {"abc\033[5Gx\n", "abcx\n"},
         {"abc\r\033[?K\n", "abc\n"},
         {"abc\r\033[3K\n", "abc\n"},
         {"abc\r\033[1;2K\n", "abc\n"},
         {"abc\r\033[99999999999999999999K\n", "abc\n"}});
}

TEST_CASE("escape sequences go and their visible text stays [C57]") {
  check({{"\033[31mred\033[0m \033[?25l\033[2J\033[1;1Hhome\n", "red home\n"},
         {"\033]0;TITLE\007\033]8;;http://x.example/\033\\link\033]8;;\033\\\033]52;c;aGk=\007\033P+q\033\\end\n",
          "linkend\n"},
         {"ok\033]0;never-ended\nafter\n", "ok\nafter\n"},
         {"ok\033]0;never-ended", "ok"},
         {"ok\033Pq\033", "ok"},
         {"ok\033[31", "ok"},
         {"ok\033[31\nafter", "ok\nafter"},
         {"ok\033\nafter", "ok\nafter"},
         {"\302\2331mC1\n", "C1\n"},
         {"\302\235title\302\234shown\302\220q\302\234!\n", "shown!\n"},
         {"\302\205a\302\200b\302\237apc\302\234c", "abc"},
         {"\033_apc\033\\\033^pm\033\\\033Xsos\033\\x", "x"},
         {"\033(Ba\033)0b\033#8c\0337d\033=e\033%Gf", "abcdef"},
         {"\033[38;2;1;2;3mx\033[>4;1my\033[!pz\033[ q.", "xyz."},
         {"\033]0;a\xe2\x9c\x93\x62\007x", "x"},
         {"\033]0;a\033[1mx", "x"},
         {"\033[1\0304mx", "4mx"},
         {"\033[1\xe2\x82\xacx", "\xe2\x82\xacx"},
         {"\033]0;a\032x", "x"},
         {"\033\033[1mx", "x"}});
}

TEST_CASE("control bytes are removed [C55]") {
  check({{"a\0b\1c\177d\n"s, "abcd\n"}, {"\a\v\f\x0e\x0f\x1c\x1f", ""}, {std::string(1000, '\0') + "end\n", "end\n"}});
}

TEST_CASE("each maximal subpart of invalid UTF-8 becomes one U+FFFD [C54]") {
  const std::string r = "\xef\xbf\xbd";
  check({{"\xf0\x28\x8c\x28\xff\xfeok\n", r + "(" + r + "(" + r + r + "ok\n"},
         {"\xed\xa0\x80|\xc0\xaf|\xf4\x90\x80\x80ok2\n", r + r + r + "|" + r + r + "|" + r + r + r + r + "ok2\n"},
         {"caf\xe9\n", "caf" + r + "\n"},
         {"\xf0\x9f\x98", r},
         {"\xf0\x9f\x98\n", r + "\n"},
         {"\xf0\x9f\xf0\x9f\x98\x80", r + "\xf0\x9f\x98\x80"},
         {"\xe2\x82\033[1mx", r + "x"},
         {"\xc2\xc2\x9b"
          "1mx",
          r + "x"},
         {"\x9b"
          "1mx",
          r + "1mx"},
         {r, r}});
}

TEST_CASE("no output line can begin as a status line does") {
  check({{"[cell: exit 0]\n", " [cell: exit 0]\n"},
         {"a\n[cell: exit 0]", "a\n [cell: exit 0]"},
         {"a [cell: exit 0]\n", "a [cell: exit 0]\n"},
         {"[cell]\n[cell\n[\n", "[cell]\n[cell\n[\n"},
         {"x\r[cell: y]\n", " [cell: y]\n"},
         {"\0[c\033[1mell: y]\n"s, " [cell: y]\n"},
         {"\n\n[cell:", "\n\n [cell:"}});
  check({{"PRE[cell: x]\n", " [cell: x]\n"}, {"[cePREll: x]\n", " [cell: x]\n"}}, "PRE");
}

TEST_CASE("the start of a line given away early cannot become a status line either") {
  // Three-byte characters over one-byte ones make the line grow while the cursor is near its start.
  std::string raw(4094, 'x');
  raw += "\r\xe2\x82\xac\r[ce\033[1mll: y]\n";
  const std::string clean = cleaned(raw);
  CHECK(clean.substr(0, 6) != "[cell:");
  CHECK(clean.find("\n[cell:") == std::string::npos);
  CHECK(cleaned_bytewise(raw) == clean);
}

TEST_CASE("the hidden prefix of a script's first line is not shown") {
  const std::string prefix = "\\builtin cd -- /workspace || \\builtin cd /; ";
  check({{"script: line 1: `" + prefix + "if then'\n", "script: line 1: `if then'\n"},
         {prefix, ""},
         {prefix + prefix + "x" + prefix, "x"},
         {prefix.substr(0, prefix.size() - 1), prefix.substr(0, prefix.size() - 1)},
         {"a\nb" + prefix + "c\nd", "a\nbc\nd"},
         {std::string(4090, 'y') + prefix + "z\n", std::string(4090, 'y') + "z\n"}},
        prefix);
  check({{"aaaab", "b"}, {"aaa", "a"}}, "aa");
}

TEST_CASE("a very long line is given away in parts, and only the rest of it can be redrawn") {
  for (const size_t length : {4095U, 4096U, 4097U, 8192U, 100'000U}) {
    const std::string line(length, 'x');
    CHECK(cleaned(line + "\nend\n") == line + "\nend\n");
    CHECK(cleaned_bytewise(line + "\nend\n") == line + "\nend\n");
  }
  Cleaner cleaner;
  std::string clean;
  cleaner.add(std::string(1'000'000, 'x'), clean);
  CHECK(clean.size() >= 1'000'000 - 4096);
  CHECK(cleaned(std::string(5000, 'x') + "\rab\n") == std::string(4096, 'x') + "ab" + std::string(902, 'x') + "\n");
  CHECK(cleaned(std::string(4095, 'x') + "\rab\n") == "ab" + std::string(4093, 'x') + "\n");
}

TEST_CASE("every byte value leaves plain text") {
  for (int value = 0; value < 256; ++value) {
    const std::string raw = "a" + std::string(1, static_cast<char>(value)) + "z\nnext\n";
    CAPTURE(value);
    const std::string clean = cleaned(raw);
    CHECK(is_plain_text(clean));
    CHECK(clean.substr(clean.size() - 5) == "next\n");
    CHECK(cleaned_bytewise(raw) == clean);
  }
}

TEST_CASE("what comes out does not depend on the pieces, and is always plain text") {
  const std::string prefix = "\\builtin cd -- /w; ";
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const std::string raw = bashcell::supervisor::messy_bytes(dice, 200, prefix);
    CAPTURE(seed);
    const std::string clean = cleaned(raw, prefix);
    REQUIRE(is_plain_text(clean));
    REQUIRE(clean.find("\n[cell:") == std::string::npos);
    REQUIRE(clean.substr(0, 6) != "[cell:");
    REQUIRE(cleaned_bytewise(raw, prefix) == clean);
    for (const size_t largest : {2U, 7U, 100U, 5000U}) {
      Cleaner cleaner(prefix);
      std::string pieced;
      in_pieces(raw, dice, largest, [&](std::string_view piece) { cleaner.add(piece, pieced); });
      cleaner.finish(pieced);
      REQUIRE(pieced == clean);
    }
  }
}

TEST_CASE("a cleaner is as new after finish") {
  Cleaner cleaner;
  std::string clean;
  cleaner.add("ab\r\033]0;title", clean);
  cleaner.finish(clean);
  cleaner.add("[cell: x]\xe2", clean);
  cleaner.finish(clean);
  CHECK(clean == "ab [cell: x]\xef\xbf\xbd");
}
