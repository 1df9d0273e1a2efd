#pragma once
// Repairs one failed script: asks a model, has its answer checked, and runs it in the place of the failed one. At most
// three questions, all before one deadline. No script is run twice, and after one that has started to do something no
// other is run.
//
// On the event loop's thread; nothing blocks. For one call; destroying it gives up.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "heal/repair_model.h"
#include "heal/repair_question.h"
#include "heal/repairable.h"

namespace bashcell::heal {

struct RepairSteps {
  // Whether bash can read it (`bash -n`, in the cell); else `why` is what it said. Calls back once, maybe at once.
  std::function<void(const std::string& script, std::function<void(bool ok, std::string why)> done)> check;
  // Runs it as the call's script, within what is left until the deadline, and calls back once when it has ended: with
  // its end, where it came to one by itself with an exit code other than 0 and all of its output is there; else with
  // nothing. What it gave is kept by whoever runs it.
  std::function<void(const std::string& script, std::function<void(std::optional<FailedRun>)> done)> run;
};

struct Repaired {
  std::string script;   // what was run instead: its result is the call's. Empty: nothing was, or nothing that counts
  std::string why_not;  // then: a clause that begins in lower case; the original failure stands
  int questions = 0;
};

class Repairer {
 public:
  static constexpr int kMostQuestions = 3;

  // `loop` and `model` must outlive this.
  Repairer(base::EventLoop& loop, Model& model, RepairSteps steps);
  Repairer(const Repairer&) = delete;
  Repairer& operator=(const Repairer&) = delete;
  // Gives up: the model is told, and `on_end` is not called. What steps are under way is theirs to end.
  ~Repairer();

  // Once, for a run that is repairable(). `on_end` is called once, never from inside start(), and may destroy this. A
  // script that is running at the deadline is waited for: run() ends it.
  void start(FailedRun failed, std::string hint, base::Instant deadline, std::function<void(Repaired)> on_end);

 private:
  // A callback that does nothing once this is gone, or the step it belongs to is over.
  template <typename... Values>
  std::function<void(Values...)> in_this_step(void (Repairer::*next)(Values...));

  void ask();
  void on_answer(base::Result<std::string> answer);
  void on_checked(bool ok, std::string why);
  void on_ran(std::optional<FailedRun> failure);
  void refuse(std::string why);
  void end(Repaired repaired);

  base::EventLoop& loop_;
  Model& model_;
  RepairSteps steps_;
  FailedRun failed_;
  std::string hint_;
  base::Instant deadline_;
  std::function<void(Repaired)> on_end_;
  base::EventLoop::TimerId timer_ = 0;
  Model::Cancel cancel_question_;
  int questions_ = 0;
  std::string script_;  // the one that is checked or run
  std::vector<std::string> tried_;
  std::vector<Refused> refused_;
  std::shared_ptr<int> step_ = std::make_shared<int>(0);  // new with each step
};

}  // namespace bashcell::heal
