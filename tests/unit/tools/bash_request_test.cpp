#include <catch2/catch.hpp>

#include "tools/bash_tool.h"

using namespace bashcell;
using nlohmann::json;
using tools::bash_request;

TEST_CASE("a call's arguments become a request") {
  const auto request = bash_request({{"command", "echo a\r\necho b\rc\n"}, {"timeout", 0.5}, {"extra", 1}}, {});
  REQUIRE(request);
  CHECK(request->script == "echo a\necho b\rc\n");
  CHECK(request->timeout == base::Duration(500));
  CHECK(bash_request({{"command", "x"}, {"timeout", nullptr}}, {})->timeout == base::Duration(30'000));
  CHECK(bash_request({{"command", "x"}, {"timeout", 300}}, {})->timeout == base::Duration(300'000));
  CHECK(bash_request({{"command", "x"}, {"timeout", 0.00001}}, {})->timeout == base::Duration(1));
}

TEST_CASE("a wrong command is named, and nothing runs") {
  for (const json& arguments :
       {json::object(), json{{"command", 5}}, json{{"command", nullptr}}, json{{"command", ""}},
        json{{"command", " \n\t"}}, json{{"cmd", "echo"}}, json{{"command", std::string("a\0b", 3)}}}) {
    INFO(arguments.dump());
    const auto request = bash_request(arguments, {});
    REQUIRE_FALSE(request);
    CHECK(request.error().message.find("`command`") != std::string::npos);
  }
}

TEST_CASE("a wrong timeout is named with its range") {
  for (const json& value :
       {json(0), json(-5), json(300.001), json(99999999), json("10"), json(true), json::array(), json(1e300)}) {
    INFO(value.dump());
    const auto request = bash_request({{"command", "x"}, {"timeout", value}}, {});
    REQUIRE_FALSE(request);
    CHECK(request.error().message.find("`timeout`") != std::string::npos);
    CHECK(request.error().message.find("300 s") != std::string::npos);
  }
}
