#include "script/nesting.h"

#include <algorithm>

namespace bashcell::script {

bool Nesting::has(Inside what) const { return std::find(inside_.begin(), inside_.end(), what) != inside_.end(); }

void Nesting::leave(Inside what) {
  if (is(what)) {
    inside_.pop_back();
  } else {
    in_doubt_ = true;
  }
}

// After a subshell, the () of a function, ((...)) and the pattern of a case there may be a reserved word.
void Nesting::close_parenthesis() {
  if (is(Inside::kCase)) {
    inside_.back() = Inside::kBranch;
    command_begins_ = true;
  } else if (is(Inside::kSubstitution) || is(Inside::kList)) {
    inside_.pop_back();
    command_begins_ = false;
  } else if (is(Inside::kPlain)) {
    inside_.pop_back();
  } else if (is(Inside::kArithmetic)) {
    close(Inside::kArithmetic);
  } else {
    close(Inside::kSubshell);
  }
}

void Nesting::add_word(const std::string& word) {
  if (is(Inside::kCondition)) {
    if (word == "]]") close(Inside::kCondition);
  } else if (is(Inside::kCase)) {
    if (word == "esac") close(Inside::kCase);
  } else if (among_words()) {
    return;
  } else if (function_name_) {
    function_name_ = false;
  } else if (command_begins_) {
    command_begins_ = false;
    read_first_word(word);
  }
}

void Nesting::read_first_word(const std::string& word) {
  const auto is_one_of = [&word](auto... names) { return ((word == names) || ...); };
  if (is_one_of("if")) open(Inside::kIf, true);
  if (is_one_of("while", "until")) open(Inside::kLoop, true);
  if (is_one_of("for", "select")) open(Inside::kLoop, false);
  if (is_one_of("case")) open(Inside::kCase, false);
  if (is_one_of("{")) open(Inside::kBraces, true);
  if (is_one_of("[[")) open(Inside::kCondition, false);
  if (is_one_of("fi")) close(Inside::kIf);
  if (is_one_of("done")) close(Inside::kLoop);
  if (is_one_of("esac")) close(Inside::kBranch);
  if (is_one_of("}")) close(Inside::kBraces);
  if (is_one_of("then", "elif", "else")) continue_in(Inside::kIf);
  if (is_one_of("do")) continue_in(Inside::kLoop);
  if (is_one_of("!", "time", "function")) command_begins_ = true;
  function_name_ = is_one_of("function");
  if (is_one_of("coproc")) in_doubt_ = true;
}

void Nesting::open(Inside what, bool command_follows) {
  enter(what);
  command_begins_ = command_follows;
}

// After the word that ends something there may be another such word.
void Nesting::close(Inside what) {
  leave(what);
  command_begins_ = true;
}

void Nesting::continue_in(Inside what) {
  if (!is(what)) in_doubt_ = true;
  command_begins_ = true;
}

}  // namespace bashcell::script
