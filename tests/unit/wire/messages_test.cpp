#include "wire/messages.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "wire/version.h"

using bashcell::base::Result;
using namespace bashcell::wire;
using nlohmann::json;

namespace {

// Through bytes, as between the two programs.
Frame carried(const Frame& frame) {
  FrameDecoder decoder;
  decoder.add(encode(frame));
  return std::move(**decoder.next());
}

template <typename Expected>
Expected host_carried(Expected message) {
  Result<HostMessage> got = host_message(carried(to_frame(HostMessage(std::move(message)))));
  REQUIRE(got.ok());
  REQUIRE(std::holds_alternative<Expected>(*got));
  return std::get<Expected>(std::move(*got));
}

template <typename Expected>
Expected cell_carried(Expected message) {
  Result<CellMessage> got = cell_message(carried(to_frame(CellMessage(std::move(message)))));
  REQUIRE(got.ok());
  REQUIRE(std::holds_alternative<Expected>(*got));
  return std::get<Expected>(std::move(*got));
}

Done sample_done() {
  Done done;
  done.id = std::numeric_limits<uint64_t>::max();
  done.outcome = Outcome::kSignaled;
  done.code = 9;
  done.wall_ms = 1234;
  done.killed = 3;
  done.killed_background = 4;
  done.stages = {2, 0, 141};
  done.memory_limit_hit = true;
  done.process_limit_hit = true;
  done.state_dropped = true;
  done.state_reset = true;
  done.total_lines = 95'011;
  done.total_bytes = 4'100'000;
  done.left_out_lines = 93'211;
  done.left_out_bytes = 4'000'000;
  done.filter = "pytest";
  done.filter_lines = 34;
  done.spill = "/tmp/.cell/out/7";
  done.spill_cut = true;
  done.spill_problem = "no space";
  done.problem = "why";
  done.output = std::string("out\0\xff", 5);
  return done;
}

CellHello sample_hello() {
  CellHello hello;
  hello.version = std::string(kVersion);
  hello.facts.uid = 1000;
  hello.facts.gid = 1000;
  hello.facts.pid = 1;
  hello.facts.memory_bytes = 512 << 20;
  hello.facts.swap_bytes = 0;
  hello.facts.cpu_quota_us = 10'000;
  hello.facts.cpu_period_us = 20'000;
  hello.facts.pids = 50;
  hello.facts.tmp_bytes = 1 << 28;
  hello.facts.root_read_only = true;
  hello.facts.no_new_privs = true;
  hello.facts.seccomp_mode = 2;
  hello.facts.capabilities = "0";
  hello.facts.network_interfaces = {"lo"};
  hello.facts.workspace_writable = true;
  hello.facts.workspace_device = 2049;
  hello.facts.workspace_inode = uint64_t{1} << 63;
  hello.facts.workspace_mounts = {{.name = ".git/hooks", .read_only = true, .device = 2049, .inode = 7}};
  hello.facts.shell = "/bin/bash";
  return hello;
}

// A value of another type than `value`, that no reader may take for it.
std::vector<json> wrong_for(const json& value) {
  std::vector<json> wrong{nullptr, json::object(), 1.5};
  if (!value.is_string()) wrong.push_back("1");
  if (!value.is_number()) wrong.push_back(1);
  if (!value.is_boolean()) wrong.push_back(true);
  if (!value.is_array()) wrong.push_back(json::array());
  if (value.is_number()) wrong.push_back(json::array({1}));
  return wrong;
}

// Every member of `object`, missing and of each wrong type, makes `read` fail.
template <typename Read>
void each_member_is_checked(const json& object, Read read) {
  REQUIRE(read(object));
  for (const auto& [name, value] : object.items()) {
    json changed = object;
    changed.erase(name);
    CAPTURE(name);
    CHECK(!read(changed));
    for (const json& wrong : wrong_for(value)) {
      changed[name] = wrong;
      CAPTURE(wrong.dump());
      CHECK(!read(changed));
    }
  }
}

bool host_reads(const json& header) { return host_message({header, ""}).ok(); }
bool cell_reads(const json& header) { return cell_message({header, ""}).ok(); }

}  // namespace

TEST_CASE("host messages arrive as they were sent") {
  const HostHello hello = host_carried(HostHello{"1.2.3", 777});
  CHECK(hello.version == "1.2.3");
  CHECK(hello.lease_ms == 777);

  Run sent;
  sent.id = UINT64_MAX;
  sent.timeout_ms = 1;
  sent.max_chars = 2;
  sent.max_tokens = 3;
  sent.reserve_tokens = 4;
  sent.filter_name = "pytest";
  sent.filter = "sed 1q\n";
  sent.script = std::string("echo \xff\0", 7);
  const Run run = host_carried(sent);
  CHECK(run.id == UINT64_MAX);
  CHECK(run.timeout_ms == 1);
  CHECK(run.max_chars == 2);
  CHECK(run.max_tokens == 3);
  CHECK(run.reserve_chars == 0);
  CHECK(run.reserve_tokens == 4);
  CHECK(run.filter_name == "pytest");
  CHECK(run.filter == "sed 1q\n");
  CHECK((run.script == std::string("echo \xff\0", 7)));

  CHECK(host_carried(Cancel{42}).id == 42);
  CHECK_FALSE(host_carried(Cancel{42}).late);
  CHECK(host_carried(Cancel{.id = 42, .late = true}).late);
  host_carried(Ping{});
  const Answer answer = host_carried(Answer{.id = 7, .good = true, .text = "why"});
  CHECK(answer.id == 7);
  CHECK(answer.good);
  CHECK(answer.text == "why");
}

TEST_CASE("an Ask arrives as it was sent, and is never long") {
  const Ask sent{.id = 3, .call = 9, .verb = "heal", .arguments = {"rg", ""}, .body = std::string("a\0\xff", 3)};
  const Ask got = cell_carried(sent);
  CHECK(to_frame(CellMessage(got)).header == to_frame(CellMessage(sent)).header);
  CHECK(got.arguments == sent.arguments);
  CHECK((got.body == sent.body));
  Frame long_one = to_frame(CellMessage(sent));
  long_one.body = std::string(kMaxAskBody + 1, 'x');
  CHECK_FALSE(cell_message(long_one));
  json header = to_frame(CellMessage(sent)).header;
  header["arguments"] = {std::string(kMaxAskBytes, 'x')};
  CHECK_FALSE(cell_reads(header));
  json answer = to_frame(HostMessage(Answer{.text = std::string(kMaxAnswerText + 1, 'x')})).header;
  CHECK_FALSE(host_reads(answer));
}

TEST_CASE("a Progress arrives as it was sent, and is never long") {
  const Progress got = cell_carried(Progress{.id = 3, .last_line = "compiling"});
  CHECK(got.id == 3);
  CHECK(got.last_line == "compiling");
  const json header = to_frame(CellMessage(Progress{.last_line = std::string(kMaxLastLine, 'x')})).header;
  CHECK(cell_reads(header));
  CHECK_FALSE(cell_reads(to_frame(CellMessage(Progress{.last_line = std::string(kMaxLastLine + 1, 'x')})).header));
  each_member_is_checked(header, cell_reads);
}

TEST_CASE("a Done arrives as it was sent, with every outcome") {
  const Done sent = sample_done();
  const Done got = cell_carried(sent);
  CHECK(to_frame(CellMessage(got)).header == to_frame(CellMessage(sent)).header);
  CHECK((got.output == sent.output));
  CHECK(got.stages == sent.stages);
  CHECK(got.left_out_bytes == 4'000'000);
  CHECK(got.spill_cut);
  for (const Outcome outcome : {Outcome::kExited, Outcome::kSignaled, Outcome::kTimedOut, Outcome::kCancelled,
                                Outcome::kNotStarted, Outcome::kLost}) {
    Done done = sent;
    done.outcome = outcome;
    CHECK(cell_carried(done).outcome == outcome);
  }
}

TEST_CASE("a Hello arrives as it was sent") {
  const CellHello sent = sample_hello();
  const CellHello got = cell_carried(sent);
  CHECK(to_frame(CellMessage(got)).header == to_frame(CellMessage(sent)).header);
  CHECK(got.facts.network_interfaces == std::vector<std::string>{"lo"});
  CHECK(got.facts.memory_bytes == 512 << 20);
  CHECK(got.version == kVersion);
}

TEST_CASE("every member is required, and of its type") {
  each_member_is_checked(to_frame(HostMessage(HostHello{"1", 5})).header, host_reads);
  each_member_is_checked(to_frame(HostMessage(Run{})).header, host_reads);
  each_member_is_checked(to_frame(HostMessage(Cancel{1})).header, host_reads);
  each_member_is_checked(to_frame(CellMessage(sample_done())).header, cell_reads);
  const json hello = to_frame(CellMessage(sample_hello())).header;
  each_member_is_checked(hello, cell_reads);
  each_member_is_checked(hello["facts"], [&](const json& facts) {
    json changed = hello;
    changed["facts"] = facts;
    return cell_reads(changed);
  });
}

TEST_CASE("numbers out of range are refused") {
  const auto with = [](json header, const std::string& name, const json& value) {
    header[name] = value;
    return header;
  };
  const json run = to_frame(HostMessage(Run{})).header;
  for (const std::string name : {"timeout_ms", "max_chars", "max_tokens"}) {
    CHECK(!host_reads(with(run, name, 0)));
    CHECK(!host_reads(with(run, name, -1)));
  }
  CHECK(!host_reads(with(run, "reserve_chars", -1)));
  CHECK(!host_reads(with(run, "progress_ms", -1)));
  CHECK(!host_reads(with(run, "reserve_tokens", -1)));
  CHECK(!host_reads(with(run, "max_tokens", int64_t{1} << 40)));
  CHECK(!host_reads(with(run, "id", -1)));
  CHECK(!host_reads(with(run, "timeout_ms", UINT64_MAX)));
  CHECK(!host_reads(with(to_frame(HostMessage(HostHello{})).header, "lease_ms", 0)));

  const json done = to_frame(CellMessage(sample_done())).header;
  for (const std::string name : {"wall_ms", "killed", "killed_background", "total_lines", "total_bytes",
                                 "left_out_lines", "left_out_bytes", "filter_lines"}) {
    CHECK(!cell_reads(with(done, name, -1)));
  }
  CHECK(!cell_reads(with(done, "code", UINT64_MAX)));
  CHECK(!cell_reads(with(done, "stages", {1, UINT64_MAX})));
  CHECK(!cell_reads(with(done, "stages", {1, "2"})));
  CHECK(!cell_reads(with(done, "stages", std::vector<int>(4097, 0))));
  CHECK(cell_reads(with(done, "stages", std::vector<int>(4096, 0))));
  CHECK(!cell_reads(with(done, "outcome", "unheard of")));
  json hello = to_frame(CellMessage(sample_hello())).header;
  hello["facts"]["memory_bytes"] = UINT64_MAX;
  CHECK(!cell_reads(hello));
  hello = to_frame(CellMessage(sample_hello())).header;
  hello["facts"]["network_interfaces"] = {"lo", 1};
  CHECK(!cell_reads(hello));
}

TEST_CASE("unknown types are refused, unknown members are not") {
  for (const json& type : {json("nothing"), json(1), json(nullptr), json("")}) {
    CHECK(!host_reads({{"type", type}}));
    CHECK(!cell_reads({{"type", type}}));
  }
  CHECK(host_message({json::object(), ""}).error().message == "bad message: type");
  CHECK(!cell_reads({{"type", "ping"}}));
  CHECK(!host_reads({{"type", "done"}}));
  CHECK(host_reads({{"type", "ping"}, {"more", 1}}));
  json cancel = to_frame(HostMessage(Cancel{1})).header;
  cancel.erase("id");
  CHECK(host_message({cancel, ""}).error().message == "bad message: id");
}
