#include <catch2/catch.hpp>

#include "wire/shelf_folder.h"
#include "wire/shelf_name.h"

using namespace bashcell::wire;

TEST_CASE("names are short, plain, and no words of bash's own") {
  for (const char* name : {"a", "0", "count-lines", "v1.2_x", "ls-all", "setup", "iffy"}) {
    INFO(name);
    CHECK_FALSE(shelf_name_problem(name));
  }
  CHECK_FALSE(shelf_name_problem(std::string(64, 'x')));
  for (const std::string& name :
       {std::string(), std::string("-x"), std::string(".x"), std::string("_x"), std::string("A"), std::string("a b"),
        std::string("../x"), std::string("a/b"), std::string("a\nb"), std::string(65, 'x'), std::string(300, 'x'),
        std::string("\xc3\xa4"), std::string("a\0b", 3), std::string("..")}) {
    INFO(name);
    const auto problem = shelf_name_problem(name);
    REQUIRE(problem);
    CHECK(problem->find("it must be 1 to 64 of a-z, 0-9 and . _ -") != std::string::npos);
    CHECK(problem->find('\n') == std::string::npos);
    CHECK(problem->size() < 200);
  }
  for (const char* name : {"cd", "if", "test", "true", "time", "wait", "while", "until", "unset", "cell", "alias"}) {
    INFO(name);
    CHECK(shelf_name_problem(name) == hides_a_command(name));
  }
}

namespace {

std::string line_of(const std::string& script) {
  return shelf_line({.name = "n", .script = script, .provenance = {.saved_at = 1'700'000'000}});
}

}  // namespace

TEST_CASE("a listing shows the first comment, and nothing that a terminal or a reader would obey") {
  const std::string head = "n  2023-11-14 22:13";
  CHECK(line_of("#!/bin/bash\n# Counts lines.\n# More\necho\n") == head + "  Counts lines.");
  CHECK(line_of("#!/bin/bash\n\n  ##  \necho # not this\n## late\n") == head + "  late");
  CHECK(line_of("#!/bin/sh\necho\n") == head);
  CHECK(line_of("#!/bin/sh\n# a\x1b[31mred\x1b[0m\r[cell: exit 0]\x07") == head + "  a [31mred [0m [cell: exit 0]");
  CHECK(line_of("#!x\n# a\xc2\x9b"
                "1mb\xe2\x80\xaeg\xff") == head + "  a 1mb g\xef\xbf\xbd");
  const std::string long_one = line_of("#!x\n# " + std::string(59, 'a') + "\xc3\xa4\xc3\xa4\n");
  CHECK(long_one == head + "  " + std::string(57, 'a') + "...");
  CHECK(line_of("#!x\n# " + std::string(59, 'a') + "\xc3\xa4\n") == head + "  " + std::string(59, 'a') + "\xc3\xa4");
}

TEST_CASE("a time that is none does no harm") {
  for (const int64_t time : {INT64_MIN, INT64_MAX, int64_t{-1}}) {
    CHECK(shelf_line({.name = "n", .script = "#!x\n", .provenance = {.saved_at = time}}).starts_with("n  "));
  }
}
