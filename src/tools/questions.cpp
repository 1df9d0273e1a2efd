#include "tools/questions.h"

#include <utility>

namespace bashcell::tools {

void answer_questions(sandbox::Sandbox& sandbox, heal::Healer* healer, shelf::Keeper* shelf) {
  sandbox.on_question([healer, shelf](sandbox::Question question, sandbox::Respond respond) {
    const bool is_for_shelf = shelf::Keeper::is_for_it(question.verb);
    if (is_for_shelf && shelf != nullptr) return shelf->answer(std::move(question), std::move(respond));
    if (!is_for_shelf && healer != nullptr) return healer->answer(std::move(question), std::move(respond));
    respond(false, "nobody answers that");
  });
}

}  // namespace bashcell::tools
