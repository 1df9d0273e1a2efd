#include "base/message_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>

using namespace bashcell::base;

TEST_CASE("the message file takes so much and no more") {
  const auto file = make_message_file();
  REQUIRE(file);
  const std::string chunk(kMaxMessageBytes - 1, 'x');
  CHECK(::write(file->get(), chunk.data(), chunk.size()) == static_cast<ssize_t>(chunk.size()));
  CHECK(::write(file->get(), chunk.data(), chunk.size()) <= 1);
  CHECK(::write(file->get(), chunk.data(), chunk.size()) == -1);
  CHECK(read_messages(*file) == chunk + "x");
}

TEST_CASE("what was not written to a message file is not read") {
  const auto file = make_message_file();
  REQUIRE(file);
  CHECK(read_messages(*file).empty());
  CHECK(::write(file->get(), "hello\n", 6) == 6);
  CHECK(read_messages(*file) == "hello\n");
}
