#include "heal/install_facts.h"

#include <catch2/catch.hpp>

#include "heal/install_plan.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::heal;

TEST_CASE("an installer's words become facts") {
  const auto facts = parse_facts("command=rg\nversion=1:13.0.0-4+b2\npython=3.11\ndone=yes\n");
  REQUIRE(facts);
  CHECK(facts->version == "13.0.0");
  CHECK(facts->python == "3.11");
  CHECK(parse_facts("version=2023.1\ndone=yes")->version == "2023.1");
  CHECK(parse_facts("error=the disk is full\n").error().message == "the disk is full");
}

TEST_CASE("what is no fact is none, and an installer that was cut off has failed") {
  for (const char* text : {"", "version=1.0\n", "done=no\n", "=\n\n=", "done", "done =yes\n", "xdone=yes"}) {
    INFO(text);
    CHECK(parse_facts(text).error().message.find("did not come to its end") != std::string::npos);
  }
  for (const char* version : {"", "$(id)", "1.0\x1b[31m", "a b", "1/2"}) {
    CHECK(parse_facts(std::string("version=") + version + "\ndone=yes\n")->version.empty());
  }
  CHECK(parse_facts("version=" + std::string(65, '1') + "\ndone=yes\n")->version.empty());
  for (const char* python : {"3.", "3.11/../..", "2.7", "3.1111", "..", "3.x"}) {
    CHECK(parse_facts(std::string("python=") + python + "\ndone=yes\n")->python.empty());
  }
  const std::string long_error = parse_facts("error=" + std::string(5000, 'x') + "\x1b[31m").error().message;
  CHECK(long_error.size() <= 300);
  CHECK(parse_facts("error=a\x1b[31mb\xff\n").error().message.find('\x1b') == std::string::npos);
  CHECK_FALSE(parse_facts(std::string(200'000, '\n') + "done=yes\n"));
}

TEST_CASE("only what a table or an index knows is planned, and only names reach the script") {
  const TemporaryFolder folder;
  const Toolbox toolbox = *Toolbox::open(folder.path() / "bashcell/toolbox/key", {});
  const PackageTable table;
  const auto fd = plan_install({Need::Kind::kCommand, "fd"}, table, toolbox);
  REQUIRE(fd);
  CHECK(fd->place() == "fd-find");
  const auto script = install_script(*fd, 400 << 20, "https://index.example/simple/");
  REQUIRE(script);
  CHECK(
      script->starts_with("KIND='deb' NAME='fd-find' COMMAND='fd' FILE='usr/bin/fdfind' LIMIT_MB=400 "
                          "PIP_INDEX_URL='https://index.example/simple/' SETTINGS='"));
  const auto yaml = plan_install({Need::Kind::kPythonModule, "yaml"}, table, toolbox);
  REQUIRE(yaml);
  CHECK(yaml->place() == "py-PyYAML");
  for (const char* name : {"no-such-tool-of-ours", "../rg", "$(id)", "-x", ""}) {
    CHECK_FALSE(plan_install({Need::Kind::kCommand, name}, table, toolbox));
    CHECK_FALSE(plan_install({Need::Kind::kPythonModule, name}, table, toolbox));
  }
  for (const char* url : {"http://x'; id; '", "http://a b", "http://a\nb", "\xc3\xa4"}) {
    CHECK_FALSE(install_script(*fd, 1 << 20, url));
  }
  for (const char* file : {"/usr/bin/x", "usr/../x", "a'b", "a b"}) {
    InstallPlan plan = *fd;
    plan.file = file;
    CHECK_FALSE(install_script(plan, 1 << 20, ""));
  }
}
