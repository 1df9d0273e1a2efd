#pragma once
// What of bash's grammar a reader is inside of, kept by the words that begin and end it. Used inside script/ only.

#include <string>
#include <vector>

namespace bashcell::script {

enum class Inside {
  kQuotes,        // "..."
  kBackticks,     // `...`
  kSubshell,      // (...), and the () of a function
  kSubstitution,  // $(...), <(...)
  kList,          // name=(...)
  kArithmetic,    // ((...)), around the next
  kPlain,         // parentheses of arithmetic and of conditions
  kExpansion,     // ${...}
  kBraces,        // { ...; }
  kIf,
  kLoop,
  kCase,    // where a pattern is expected
  kBranch,  // the commands after it
  kCondition
};

class Nesting {
 public:
  bool empty() const { return inside_.empty(); }
  size_t depth() const { return inside_.size(); }
  bool is(Inside what) const { return !inside_.empty() && inside_.back() == what; }
  bool has(Inside what) const;
  // Where there are words but no commands.
  bool among_words() const {
    return is(Inside::kList) || is(Inside::kArithmetic) || is(Inside::kPlain) || is(Inside::kCondition);
  }
  // Something ended that had not begun, or what this does not know: bash sees it in another way.
  bool in_doubt() const { return in_doubt_; }

  void enter(Inside what) { inside_.push_back(what); }
  // Where `what` is not the innermost, it is in doubt.
  void leave(Inside what);
  // A closing parenthesis outside of quotes.
  void close_parenthesis();
  // The next word: is it the first one of a command, and so perhaps a reserved one?
  bool command_begins() const { return command_begins_; }
  void set_command_begins(bool begins) { command_begins_ = begins; }
  // A whole word outside of quotes and ${...}; one that was quoted is given as "\"".
  void add_word(const std::string& word);

 private:
  void read_first_word(const std::string& word);
  void open(Inside what, bool command_follows);
  void close(Inside what);
  void continue_in(Inside what);

  std::vector<Inside> inside_;
  bool command_begins_ = true;
  bool function_name_ = false;  // is what the next word is
  bool in_doubt_ = false;
};

}  // namespace bashcell::script
