#include "heal/nearest.h"

#include <catch2/catch.hpp>
#include <string>

using namespace bashcell::heal;
using Catch::Contains;

TEST_CASE("a command that is missing has a near one") {
  CHECK_THAT(hint_for_command("rg"), Contains("grep -rn"));
  CHECK_THAT(hint_for_command("fd"), Contains("find"));
  CHECK_THAT(hint_for_command("python"), Contains("python3"));
  CHECK_THAT(hint_for_command("ll"), Contains("ls -l"));
  CHECK_THAT(hint_for_command("sudo"), Contains("no root in this cell"));
  CHECK_THAT(hint_for_command("systemctl"), Contains("service manager"));
}

TEST_CASE("a slip of the fingers is guessed, and no more than that") {
  CHECK(hint_for_command("gti") == "did you mean git");
  CHECK(hint_for_command("pyhton") == "did you mean python3");
  CHECK(hint_for_command("pyhton3") == "did you mean python3");
  CHECK(hint_for_command("grpe") == "did you mean grep");
  CHECK(hint_for_command("sahred") == "");
  CHECK(hint_for_command("definitely_not_a_tool") == "");
  CHECK(hint_for_command("nosuch_a") == "");
  CHECK(hint_for_command("xy") == "");
  CHECK(hint_for_command("") == "");
  CHECK(hint_for_command(std::string(100'000, 'g')) == "");
}

TEST_CASE("a module of an older python has a new name") {
  CHECK_THAT(hint_for_module("urllib2"), Contains("urllib.request"));
  CHECK(hint_for_module("helpers") == "");
}

TEST_CASE("an option that a tool lacks leads to the one that it has") {
  CHECK_THAT(hint_for_option("date", "-v", false), Contains("date -d"));
  CHECK_THAT(hint_for_option("base64", "-D", false), Contains("-d"));
  CHECK_THAT(hint_for_option("grep", "--glob=*.c", false), Contains("--include"));
  CHECK(hint_for_option("grep", "--ignorecase", false) == "grep has --ignore-case");
  CHECK(hint_for_option("sort", "--reversed", false) == "sort has --reverse");
  CHECK(hint_for_option("grep", "--ignore-case", false) == "");
  CHECK(hint_for_option("grep", "--zzz", false) == "");
  CHECK(hint_for_option("grep", "--", false) == "");
  CHECK(hint_for_option("grep", "", false) == "");
  CHECK(hint_for_option("no_such_tool", "--ignorecase", false) == "");
}

TEST_CASE("BusyBox's tools have advice of their own") {
  CHECK_THAT(hint_for_option("grep", "-P", true), Contains("grep -E"));
  CHECK(hint_for_option("grep", "-P", false) == "");
  CHECK_THAT(hint_for_option("head", "--foo", true), Contains("busybox"));
}
