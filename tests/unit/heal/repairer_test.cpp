#include "heal/repairer.h"

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

using namespace bashcell;
using namespace bashcell::heal;
using namespace std::chrono_literals;

namespace {

// Says what the test has given it, in order; a question without an answer waits.
class ScriptedModel final : public Model {
 public:
  explicit ScriptedModel(base::EventLoop& loop) : loop_(loop) {}
  Cancel ask(const Question& question, base::Instant, OnAnswer on_answer) override {
    questions.push_back(question.text);
    if (answers.size() >= questions.size()) {
      loop_.post([on_answer, answer = answers[questions.size() - 1]] { on_answer(answer); });
    } else {
      waiting = on_answer;
      if (on_unanswered) on_unanswered();
    }
    return [this] { ++cancels; };
  }

  std::vector<base::Result<std::string>> answers;
  std::vector<std::string> questions;
  OnAnswer waiting;
  std::function<void()> on_unanswered;
  int cancels = 0;

 private:
  base::EventLoop& loop_;
};

const FailedRun kFailed{"rg foo", 127, "script: line 1: rg: command not found"};

struct Fixture {
  Fixture() {
    RepairSteps steps;
    steps.check = [this](const std::string& script, const std::function<void(bool, std::string)>& done) {
      checked.push_back(script);
      const bool bad = script.find("BAD") != std::string::npos;
      done(!bad, bad ? "script: line 1: syntax error" : "");
    };
    steps.run = [this](const std::string& script, std::function<void(std::optional<FailedRun>)> done) {
      ran.push_back(script);
      if (hold_run) {
        held = std::move(done);
      } else {
        const std::string name = script.substr(0, script.find_first_of(" \n"));
        const bool missing = script.starts_with("nosuch");
        loop.post([done, name, missing] {
          done(missing ? std::optional<FailedRun>({"", 127, "script: line 1: " + name + ": command not found"})
                       : std::nullopt);
        });
      }
    };
    repairer.emplace(loop, model, std::move(steps));
  }

  void start(base::Duration limit = 60s) {
    repairer->start(kFailed, "near: grep", base::now() + limit, [this](Repaired repaired) {
      ++ends;
      result = std::move(repaired);
      repairer.reset();
      loop.stop();
    });
  }
  Repaired repair(std::vector<base::Result<std::string>> answers, base::Duration limit = 60s) {
    model.answers = std::move(answers);
    start(limit);
    CHECK(ends == 0);
    loop.run();
    return result;
  }

  base::EventLoop loop;
  ScriptedModel model{loop};
  std::optional<Repairer> repairer;
  std::vector<std::string> checked;
  std::vector<std::string> ran;
  bool hold_run = false;
  std::function<void(std::optional<FailedRun>)> held;
  Repaired result;
  int ends = 0;
};

using Scripts = std::vector<std::string>;

}  // namespace

TEST_CASE("a good answer is checked, run once, and is what ran instead") {
  Fixture f;
  const Repaired repaired = f.repair({std::string("```bash\ngrep -rn foo\n```")});
  CHECK(repaired.script == "grep -rn foo\n");
  CHECK(repaired.why_not.empty());
  CHECK(repaired.questions == 1);
  CHECK(f.checked == Scripts{"grep -rn foo\n"});
  CHECK(f.ran == Scripts{"grep -rn foo\n"});
  CHECK(f.model.questions[0].find("near: grep") != std::string::npos);
}

TEST_CASE("what bash cannot read, and what is no script, is asked for again with the reason, and not run") {
  Fixture f;
  const Repaired repaired = f.repair({std::string("Sorry, no."), std::string("grep BAD"), std::string("grep -rn foo")});
  CHECK(repaired.script == "grep -rn foo\n");
  CHECK(repaired.questions == 3);
  CHECK(f.ran == Scripts{"grep -rn foo\n"});
  CHECK(f.model.questions[1].find("it is no script") != std::string::npos);
  CHECK(f.model.questions[2].find("<answer>\ngrep BAD\n</answer>") != std::string::npos);
  CHECK(f.model.questions[2].find("script: line 1: syntax error") != std::string::npos);
}

TEST_CASE("after three answers that do not help, the failure stands, and no script ran twice") {
  Fixture f;
  const Repaired repaired =
      f.repair({std::string("nosuch1 a"), std::string("nosuch1 a"), std::string("rg foo"), std::string("grep x")});
  CHECK(repaired.script.empty());
  CHECK(
      repaired.why_not ==
      "3 answers of the model did not help; of the last: the model's answer is of no use: it is the same script again");
  CHECK(f.ran == Scripts{"nosuch1 a\n"});
  CHECK(f.model.questions.size() == 3);
}

TEST_CASE("a repaired script that did nothing is repaired again; one that started is final") {
  Fixture f;
  const Repaired repaired = f.repair({std::string("nosuch1 a"), std::string("grep x")});
  CHECK(repaired.script == "grep x\n");
  CHECK(f.ran == Scripts{"nosuch1 a\n", "grep x\n"});
  CHECK(f.model.questions[1].find("nosuch1: command not found") != std::string::npos);

  Fixture g;
  g.hold_run = true;
  g.model.answers = {std::string("touch x; nosuch"), std::string("grep x")};
  g.start();
  g.loop.post([&] { g.loop.stop(); });
  g.loop.run();
  REQUIRE(g.held);
  g.held(FailedRun{"", 127, "script: line 1: nosuch: command not found"});
  CHECK(g.result.script == "touch x; nosuch\n");
  CHECK(g.model.questions.size() == 1);
}

TEST_CASE("an error of the model ends it, in its words") {
  Fixture f;
  const Repaired repaired = f.repair({base::Error{"the endpoint at https://x answered 500"}, std::string("grep x")});
  CHECK(repaired.script.empty());
  CHECK(repaired.why_not == "the endpoint at https://x answered 500");
  CHECK(f.model.questions.size() == 1);
}

TEST_CASE("a model that never answers is given up at the deadline, and its late answer is not run") {
  Fixture f;
  const Repaired repaired = f.repair({}, 20ms);
  CHECK(repaired.why_not == "the model did not answer in time");
  CHECK(f.model.cancels == 1);
  f.model.waiting(std::string("grep x"));
  CHECK(f.ran.empty());
  CHECK(f.ends == 1);
}

TEST_CASE("a check that comes too late, or twice, runs nothing more") {
  base::EventLoop loop;
  ScriptedModel model(loop);
  model.answers = {std::string("grep x")};
  std::function<void(bool, std::string)> checked;
  int runs = 0;
  std::string why;
  Repairer repairer(loop, model,
                    {.check = [&](const std::string&, std::function<void(bool, std::string)> done) { checked = done; },
                     .run = [&](const std::string&, const std::function<void(std::optional<FailedRun>)>&) { ++runs; }});
  SECTION("late") {
    repairer.start(kFailed, "", base::now() + 20ms, [&](const Repaired& repaired) {
      why = repaired.why_not;
      loop.stop();
    });
    loop.run();
    CHECK_FALSE(why.empty());
    checked(true, "");
    CHECK(runs == 0);
  }
  SECTION("twice") {
    repairer.start(kFailed, "", base::now() + 60s, [](const Repaired&) {});
    loop.post([&] { loop.post([&] { loop.stop(); }); });
    loop.run();
    REQUIRE(checked);
    checked(true, "");
    checked(true, "");
    CHECK(runs == 1);
  }
}

TEST_CASE("a script that runs at the deadline is waited for") {
  Fixture f;
  f.hold_run = true;
  f.model.answers = {std::string("sleep 9")};
  f.start(30ms);
  f.loop.after(60ms, [&] {
    CHECK(f.ends == 0);
    f.held(std::nullopt);
  });
  f.loop.run();
  CHECK(f.result.script == "sleep 9\n");
}

TEST_CASE("a repair that is given up tells the model, and ends in silence") {
  Fixture f;
  f.model.on_unanswered = [&] { f.loop.stop(); };
  f.start();
  f.loop.run();
  f.repairer.reset();
  CHECK(f.model.cancels == 1);
  f.model.waiting(std::string("grep x"));
  CHECK(f.ends == 0);
  CHECK(f.ran.empty());
}
