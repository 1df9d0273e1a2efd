#pragma once
// A language model that can be asked to repair a script.
//
// Implementers: ClientModel (the client's own, by sampling), HttpModel (an endpoint).

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace bashcell::heal {

struct Question {
  std::string instructions;  // what the model is to do, and its rules
  std::string text;          // the case
};

class Model {
 public:
  using OnAnswer = std::function<void(base::Result<std::string> text)>;
  using Cancel = std::function<void()>;

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  // On the event loop's thread; never blocks. `on_answer` is called once, on that thread, never from inside ask(): with
  // what the model said, of any kind, or with an error. It may also never be called, so whoever asks has a timer for
  // `deadline`; the model may use it to give up by itself. After the returned function was called, and after the model
  // is gone, `on_answer` is not called.
  virtual Cancel ask(const Question& question, base::Instant deadline, OnAnswer on_answer) = 0;
};

}  // namespace bashcell::heal
