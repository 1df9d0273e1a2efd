#include "engine/cell_name.h"

#include <catch2/catch.hpp>

using namespace bashcell;
using namespace bashcell::engine;

TEST_CASE("a cell's name tells its owner") {
  const base::ProcessIdentity self = base::ProcessIdentity::self();
  const std::string name = make_cell_name(self);
  const auto owner = owner_of(name);
  REQUIRE(owner);
  CHECK(owner->pid == self.pid);
  CHECK(owner->start_ticks == self.start_ticks);
  CHECK(owner->boot == self.boot);
  CHECK(make_cell_name(self) != name);
}

TEST_CASE("only names of exactly our form have an owner") {
  REQUIRE(owner_of("bashcell-12-345-2957f709-0000abcd"));
  const std::string other = GENERATE(
      as<std::string>{}, "", "bashcell", "bashcell-", "bashcell-12", "bashcell-12-345", "bashcell-12-345-2957f709",
      "bashcell-12-345-2957f709-", "bashcell-12-345-2957f709-0000abc", "bashcell-12-345-2957f709-0000abcd0",
      "bashcell-12-345-2957f709-0000ABCD", "bashcell-12-345-2957f70-0000abcd", "bashcell--12-345-2957f709-0000abcd",
      "bashcell-0-345-2957f709-0000abcd", "bashcell-x-345-2957f709-0000abcd", "bashcell-12-3x5-2957f709-0000abcd",
      "bashcell-99999999999-1-2957f709-0000abcd", "Bashcell-12-345-2957f709-0000abcd",
      "mycell-12-345-2957f709-0000abcd", "bashcell-12-345-2957f709-0000abcd-1", " bashcell-12-345-2957f709-0000abcd");
  INFO(other);
  CHECK_FALSE(owner_of(other));
  CHECK_FALSE(is_leftover(other));
}

TEST_CASE("a cell is a leftover when its owner is gone, and only then") {
  const base::ProcessIdentity self = base::ProcessIdentity::self();
  CHECK_FALSE(is_leftover(make_cell_name(self)));

  base::ProcessIdentity earlier = self;  // this pid, but another process had it
  earlier.start_ticks -= 1;
  CHECK(is_leftover(make_cell_name(earlier)));

  base::ProcessIdentity before_boot = self;
  before_boot.boot = self.boot == "00000000" ? "11111111" : "00000000";
  CHECK(is_leftover(make_cell_name(before_boot)));
}
