#include "rpc/reply.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

using namespace bashcell::rpc;
using nlohmann::json;

namespace {

// What came out of a reply, in order; nothing for an abandoned one.
struct Answers {
  std::vector<std::optional<std::string>> list;
  Reply reply(const Id& id) {
    return Reply(id, [this](std::optional<std::string> line) { list.push_back(std::move(line)); });
  }
};

}  // namespace

TEST_CASE("a reply answers once; a second answer is ignored") {
  Answers answers;
  Reply reply = answers.reply(1);
  CHECK(reply.open());
  reply.result({{"a", 1}});
  CHECK_FALSE(reply.open());
  reply.result({{"a", 2}});
  reply.error({kInternalError, "late"});
  reply.abandon();
  REQUIRE(answers.list.size() == 1);
  CHECK(json::parse(*answers.list[0])["result"]["a"] == 1);
}

TEST_CASE("a reply that is dropped unanswered sends an internal error") {
  Answers answers;
  { const Reply reply = answers.reply("x"); }
  REQUIRE(answers.list.size() == 1);
  const json error = json::parse(*answers.list[0]);
  CHECK(error["id"] == "x");
  CHECK(error["error"]["code"] == kInternalError);
}

TEST_CASE("an abandoned reply sends nothing, ever") {
  Answers answers;
  {
    Reply reply = answers.reply(1);
    reply.abandon();
    reply.result(json::object());
  }
  REQUIRE(answers.list.size() == 1);
  CHECK_FALSE(answers.list[0].has_value());
}

TEST_CASE("the duty moves with the reply") {
  Answers answers;
  Reply first = answers.reply(1);
  Reply second = std::move(first);
  CHECK_FALSE(first.open());  // NOLINT: a moved-from reply owes nothing, by contract
  first.result(json::object());
  CHECK(answers.list.empty());
  second.result(json::object());
  CHECK(answers.list.size() == 1);
}

TEST_CASE("assigning over an open reply answers the one that is lost") {
  Answers answers;
  Reply reply = answers.reply(1);
  reply = answers.reply(2);
  REQUIRE(answers.list.size() == 1);
  CHECK(json::parse(*answers.list[0])["id"] == 1);
  Reply& alias = reply;
  reply = std::move(alias);
  CHECK(reply.open());
  reply.abandon();
}

TEST_CASE("a sink may drop the reply that calls it") {
  int answered = 0;
  auto reply = std::make_unique<Reply>();
  *reply = Reply(1, [&](const std::optional<std::string>&) {
    ++answered;
    reply.reset();
  });
  reply->result(json::object());
  CHECK(answered == 1);
  CHECK(reply == nullptr);
}
