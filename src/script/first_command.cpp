#include "script/first_command.h"

#include <algorithm>
#include <deque>
#include <string>

#include "script/nesting.h"

namespace bashcell::script {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view script) : script_(script) {}

  FirstCommand read() {
    while (at_ < script_.size()) {
      step();
      if (complete_ || nesting_.in_doubt()) return {line_, false};
    }
    end_word();
    if (nesting_.in_doubt()) return {line_, false};
    // A heredoc without its end is no error: bash runs the command.
    const bool open = !nesting_.empty() || after_operator_ || in_quote_;
    const bool newline_missing = script_.empty() || script_.back() != '\n';
    const size_t lines = newline_missing ? line_ : line_ - 1;
    return {any_ || open ? lines : 0, open};
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0'; }
  void step() {
    if (nesting_.is(Inside::kQuotes) || nesting_.is(Inside::kExpansion)) return step_in_text();
    const char c = peek();
    if (c == '\n') return end_line();
    if (c == ' ' || c == '\t') {
      end_word();
      ++at_;
    } else if (c == '#' && !in_word_ && !nesting_.is(Inside::kPlain)) {
      at_ = std::min(script_.find('\n', at_), script_.size());
    } else if (c == ';' || c == '&' || c == '|') {
      step_operator();
    } else if (c == '(' || c == ')') {
      step_parenthesis();
    } else if (c == '<' || c == '>') {
      step_redirection();
    } else {
      step_in_word();
    }
  }

  // In "..." and ${...}: only what ends them, and what begins inside of them.
  void step_in_text() {
    const char c = peek();
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == '}' && nesting_.is(Inside::kExpansion)) {
      nesting_.leave(Inside::kExpansion);
      ++at_;
    } else if (c == '\'' && nesting_.is(Inside::kExpansion)) {
      complete_ = nesting_.depth() > 1;  // in "${x:-'}" it quotes nothing
      if (!complete_) skip_single_quotes();
    } else if (c == '"' || c == '\\' || c == '$' || c == '`') {
      step_in_word();
    } else {
      ++at_;
    }
  }

  void step_in_word() {
    const char c = peek();
    any_ = true;
    if (c == '\\') {
      if (peek(1) == '\n') ++line_;
      if (peek(1) != '\n') begin_word(true);
      if (at_ + 1 >= script_.size()) complete_ = true;
      at_ += 2;
    } else if (c == '\'') {
      begin_word(true);
      skip_single_quotes();
    } else if (c == '"') {
      begin_word(true);
      nesting_.is(Inside::kQuotes) ? nesting_.leave(Inside::kQuotes) : nesting_.enter(Inside::kQuotes);
      ++at_;
    } else if (c == '`') {
      step_backtick();
    } else if (c == '$') {
      step_dollar();
    } else {
      begin_word(false);
      word_ += c;
      ++at_;
    }
  }

  void begin_word(bool quoted) {
    in_word_ = true;
    quoted_ = quoted_ || quoted;
    after_operator_ = false;
  }

  void skip_single_quotes() {
    for (++at_; at_ < script_.size(); ++at_) {
      if (script_[at_] == '\n') ++line_;
      if (script_[at_] != '\'') continue;
      ++at_;
      return;
    }
    in_quote_ = true;
  }

  void step_backtick() {
    ++at_;
    if (nesting_.is(Inside::kBackticks)) {
      end_word();
      nesting_.leave(Inside::kBackticks);
      return end_inner_command();
    }
    if (nesting_.has(Inside::kBackticks)) complete_ = true;
    begin_inner_command(Inside::kBackticks);
  }

  // A command inside a word: the word around it goes on after it, and is no reserved one.
  void begin_inner_command(Inside what) {
    begin_word(true);
    nesting_.enter(what);
    in_word_ = quoted_ = false;
    word_.clear();
    nesting_.set_command_begins(true);
  }
  void end_inner_command() {
    begin_word(true);
    nesting_.set_command_begins(false);
  }

  void step_dollar() {
    begin_word(true);
    const char next = peek(1);
    at_ += 2;
    if (next == '(') {
      if (peek() == '(') {
        ++at_;
        nesting_.enter(Inside::kPlain);
        nesting_.enter(Inside::kPlain);
      } else {
        begin_inner_command(Inside::kSubstitution);
      }
    } else if (next == '{') {
      nesting_.enter(Inside::kExpansion);
    } else if (next == '\'' && !nesting_.is(Inside::kQuotes)) {
      while (at_ < script_.size() && peek() != '\'') {
        if (peek() == '\\') ++at_;
        if (peek() == '\n') ++line_;
        ++at_;
      }
      in_quote_ = at_ >= script_.size();
      ++at_;
    } else {
      --at_;
    }
  }

  void step_parenthesis() {
    any_ = true;
    after_operator_ = false;
    const bool opens = peek() == '(';
    ++at_;
    opens ? open_parenthesis() : close_parenthesis();
  }

  void open_parenthesis() {
    if (nesting_.is(Inside::kCase)) return;  // before a pattern
    if (nesting_.among_words()) return nesting_.enter(Inside::kPlain);
    if (in_word_ && word_.ends_with('=')) {
      in_word_ = quoted_ = false;
      word_.clear();
      return nesting_.enter(Inside::kList);
    }
    if (!in_word_ && peek() == '(' && (nesting_.command_begins() || nesting_.is(Inside::kLoop))) {
      ++at_;
      nesting_.enter(Inside::kArithmetic);
      return nesting_.enter(Inside::kPlain);
    }
    if (in_word_ && peek() != ')') complete_ = true;  // a pattern like !(a|b)
    end_word();
    nesting_.enter(Inside::kSubshell);
    nesting_.set_command_begins(true);
  }

  void close_parenthesis() {
    end_word();
    const bool inner = nesting_.is(Inside::kSubstitution);
    nesting_.close_parenthesis();
    if (inner) begin_word(true);
  }

  void step_operator() {
    end_word();
    const char c = peek();
    const char next = peek(1);
    if (nesting_.among_words() || (c == '&' && next == '>')) {  // &>file
      ++at_;
    } else if (c == ';' && (next == ';' || next == '&')) {
      at_ += peek(2) == '&' ? 3 : 2;
      nesting_.leave(Inside::kBranch);
      nesting_.enter(Inside::kCase);
    } else {
      const bool doubled = c == next;
      at_ += doubled || (c == '|' && next == '&') ? 2 : 1;
      nesting_.set_command_begins(true);
      after_operator_ = c == '|' || (c == '&' && doubled);
    }
  }

  void step_redirection() {
    end_word();
    any_ = true;
    after_operator_ = false;
    const char c = peek();
    if (nesting_.among_words()) {
      ++at_;
    } else if (script_.substr(at_, 3) == "<<<") {
      at_ += 3;
    } else if (script_.substr(at_, 2) == "<<") {
      at_ += 2;
      read_heredoc_word();
    } else if (peek(1) == '(') {
      at_ += 2;
      begin_inner_command(Inside::kSubstitution);
    } else {
      at_ += peek(1) == c || peek(1) == '&' || peek(1) == '|' ? 2 : 1;
    }
  }

  void read_heredoc_word() {
    Heredoc heredoc;
    heredoc.strips_tabs = peek() == '-';
    if (heredoc.strips_tabs) ++at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    for (; at_ < script_.size() && std::string_view(" \t\n;&|<>()").find(peek()) == std::string_view::npos; ++at_) {
      const char c = peek();
      if (c == '$' || c == '`') complete_ = true;
      if (c != '\'' && c != '"' && c != '\\') heredoc.end += c;
    }
    heredocs_.push_back(heredoc);
  }

  void end_line() {
    end_word();
    ++at_;
    while (!heredocs_.empty() && !complete_) skip_heredoc();
    const bool open = !nesting_.empty() || after_operator_;
    if (any_ && !open) {
      complete_ = true;
      return;
    }
    ++line_;
    nesting_.set_command_begins(true);
  }

  void skip_heredoc() {
    const Heredoc heredoc = heredocs_.front();
    heredocs_.pop_front();
    while (at_ < script_.size()) {
      const size_t end = std::min(script_.find('\n', at_), script_.size());
      std::string_view text = script_.substr(at_, end - at_);
      if (heredoc.strips_tabs) text.remove_prefix(std::min(text.find_first_not_of('\t'), text.size()));
      ++line_;
      at_ = std::min(end + 1, script_.size());
      if (text == heredoc.end) return;
    }
    complete_ = true;
  }

  void end_word() {
    if (!in_word_) return;
    const std::string word = quoted_ ? std::string("\"") : word_;
    word_.clear();
    in_word_ = quoted_ = false;
    nesting_.add_word(word);
  }

  struct Heredoc {
    std::string end;
    bool strips_tabs = false;
  };

  std::string_view script_;
  size_t at_ = 0;
  size_t line_ = 1;
  bool complete_ = false;  // or in doubt
  bool any_ = false;       // some of a command has come
  bool in_quote_ = false;  // '...' that does not end
  Nesting nesting_;
  std::deque<Heredoc> heredocs_;
  std::string word_;
  bool in_word_ = false;
  bool quoted_ = false;
  bool after_operator_ = false;
};

}  // namespace

FirstCommand first_command(std::string_view script) { return Reader(script).read(); }

}  // namespace bashcell::script
