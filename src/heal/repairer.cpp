#include "heal/repairer.h"

#include <fmt/format.h>

#include <utility>

#include "heal/repair_answer.h"
#include "http/shown.h"

namespace bashcell::heal {

namespace {

constexpr size_t kMaxShown = 200;

}  // namespace

Repairer::Repairer(base::EventLoop& loop, Model& model, RepairSteps steps)
    : loop_(loop), model_(model), steps_(std::move(steps)) {}

Repairer::~Repairer() {
  loop_.cancel(timer_);
  if (cancel_question_) cancel_question_();
}

template <typename... Values>
std::function<void(Values...)> Repairer::in_this_step(void (Repairer::*next)(Values...)) {
  step_ = std::make_shared<int>(0);
  return [this, next, step = std::weak_ptr<int>(step_)](Values... values) {
    if (step.expired()) return;
    (this->*next)(std::move(values)...);
  };
}

void Repairer::start(FailedRun failed, std::string hint, base::Instant deadline, std::function<void(Repaired)> on_end) {
  failed_ = std::move(failed);
  hint_ = std::move(hint);
  deadline_ = deadline;
  on_end_ = std::move(on_end);
  tried_.push_back(failed_.script);
  timer_ = loop_.after(base::until(deadline), [this] {
    end({.why_not = refused_.empty() ? "the model did not answer in time" : "the model had no good answer in time"});
  });
  ask();
}

void Repairer::ask() {
  ++questions_;
  cancel_question_ =
      model_.ask(repair_question(failed_, hint_, refused_), deadline_, in_this_step(&Repairer::on_answer));
}

void Repairer::on_answer(base::Result<std::string> answer) {
  cancel_question_ = nullptr;
  if (!answer) return end({.why_not = http::shown(answer.error().message, kMaxShown)});
  base::Result<std::string> script = script_in_answer(*answer, tried_);
  script_.clear();
  if (!script) return refuse("the model's answer is of no use: " + script.error().message);
  script_ = std::move(*script);
  tried_.push_back(script_);
  steps_.check(script_, in_this_step(&Repairer::on_checked));
}

void Repairer::on_checked(bool ok, std::string why) {
  if (!ok) return refuse("bash cannot read the model's script: " + why);
  loop_.cancel(timer_);  // from here on, what runs has the say
  steps_.run(script_, in_this_step(&Repairer::on_ran));
}

void Repairer::on_ran(std::optional<FailedRun> failure) {
  if (failure) failure->script = script_;
  if (!failure || !repairable(*failure)) return end({.script = script_});
  timer_ = loop_.after(base::until(deadline_), [this] { end({.why_not = "the model had no good answer in time"}); });
  refuse("the model's script failed as well: " + failure->output);
}

// The answer does not do; another one may.
void Repairer::refuse(std::string why) {
  if (questions_ == kMostQuestions) {
    return end({.why_not = fmt::format("{} answers of the model did not help; of the last: {}", questions_,
                                       http::shown(why, kMaxShown))});
  }
  refused_.push_back({script_, std::move(why)});
  ask();
}

void Repairer::end(Repaired repaired) {
  step_.reset();
  loop_.cancel(timer_);
  if (cancel_question_) std::exchange(cancel_question_, nullptr)();
  repaired.questions = questions_;
  const std::function<void(Repaired)> on_end = std::exchange(on_end_, nullptr);
  if (on_end) on_end(std::move(repaired));  // last: it may destroy this
}

}  // namespace bashcell::heal
