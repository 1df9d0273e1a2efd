#include "heal/repair_call.h"

#include <catch2/catch.hpp>
#include <vector>

#include "heal/repair_run.h"

using namespace bashcell;
using namespace bashcell::heal;
using namespace std::chrono_literals;

namespace {

class OneAnswer final : public Model {
 public:
  OneAnswer(base::EventLoop& loop, std::string answer) : loop_(loop), answer_(std::move(answer)) {}
  Cancel ask(const Question&, base::Instant, OnAnswer on_answer) override {
    loop_.post([on_answer, answer = answer_] { on_answer(answer); });
    return [] {};
  }

 private:
  base::EventLoop& loop_;
  std::string answer_;
};

sandbox::CallReport report(int64_t code, const std::string& output) {
  wire::Done done;
  done.code = code;
  done.output = output;
  return {.result = done};
}

const std::string kMissing = "script: line 1: rg: command not found\n";

struct Fixture {
  explicit Fixture(const std::string& answer) : model(loop, answer) {
    call.emplace(loop, model,
                 RepairCell{.run = [this](sandbox::CallRequest request,
                                          std::function<void(sandbox::CallReport)> on_finished) -> uint64_t {
                              requests.push_back(request);
                              finish = std::move(on_finished);
                              if (on_run) on_run();
                              return requests.size();
                            },
                            .cancel = [this](uint64_t id) { cancelled.push_back(id); }},
                 [](const std::string& script) {
                   sandbox::CallRequest request;
                   request.script = script;
                   request.filter_name = "f";
                   return request;
                 });
  }
  // A copy: the next run replaces it.
  void end_run(const sandbox::CallReport& with) const {
    const auto tell = finish;
    tell(with);
  }
  // Until the cell is asked to run something.
  void turn() {
    on_run = [this] { loop.stop(); };
    loop.run();
  }
  void start(base::Duration limit = 60s) {
    sandbox::CallReport first = report(127, kMissing);
    first.new_cell = true;
    first.network = "bridge";
    call->start("rg foo", first, "", base::now() + limit, [this](RepairedCall repaired) {
      result = std::move(repaired);
      call.reset();
      loop.stop();
    });
  }

  base::EventLoop loop;
  OneAnswer model;
  std::optional<RepairCall> call;
  std::vector<sandbox::CallRequest> requests;
  std::vector<uint64_t> cancelled;
  std::function<void(sandbox::CallReport)> finish;
  std::function<void()> on_run;
  std::optional<RepairedCall> result;
};

}  // namespace

TEST_CASE("what ran instead is the call's, with what the first report had to tell") {
  Fixture f("grep foo");
  CHECK(RepairCall::may_start("rg foo", report(127, kMissing)));
  CHECK_FALSE(RepairCall::may_start("touch x; rg foo", report(127, kMissing)));
  CHECK_FALSE(RepairCall::may_start("rg foo", report(0, "")));
  f.start();
  f.turn();
  CHECK(f.requests.at(0).script == reading_script("grep foo\n"));
  CHECK(f.requests[0].filter_name.empty());
  CHECK(f.requests[0].timeout <= 60s);
  CHECK(f.requests[0].timeout > 30s);
  f.end_run(report(0, ""));
  CHECK(f.requests.at(1).script == "grep foo\n");
  CHECK(f.requests[1].filter_name == "f");
  f.end_run(report(1, "found"));
  REQUIRE(f.result);
  CHECK(f.requests.size() == 2);
  CHECK(f.result->script == "grep foo\n");
  CHECK(std::get<wire::Done>(f.result->report.result).output == "found");
  CHECK(f.result->report.new_cell);
  CHECK(f.result->report.network == "bridge");
  CHECK(f.result->clause == "the script failed before it did anything; ran instead: grep foo");
  CHECK(f.cancelled.empty());
}

TEST_CASE("a repair that does not help leaves the first report as it was, and says why") {
  Fixture f("I cannot do that.");
  f.start();
  f.loop.run();
  REQUIRE(f.result);
  CHECK(f.requests.empty());
  CHECK(f.result->script == "rg foo");
  CHECK(std::get<wire::Done>(f.result->report.result).output == kMissing);
  CHECK(f.result->clause ==
        "not repaired: 3 answers of the model did not help; of the last: the model's answer is of no use: it is no "
        "script");
}

TEST_CASE("a check that does not end is cancelled at the deadline, and what it says then is ignored") {
  Fixture f("grep foo");
  f.start(30ms);
  f.turn();
  f.loop.run();
  REQUIRE(f.result);
  CHECK(f.cancelled == std::vector<uint64_t>{1});
  f.end_run(report(0, ""));
  CHECK(f.requests.size() == 1);
}

TEST_CASE("a call that is cancelled while it is repaired ends what runs") {
  Fixture f("grep foo");
  f.start();
  f.turn();
  f.end_run(report(0, ""));
  f.call.reset();
  CHECK(f.cancelled == std::vector<uint64_t>{2});
  f.end_run(report(0, ""));
  CHECK_FALSE(f.result);
}
