#include "script/words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace bashcell::script {

namespace {

constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
// Words that make a command something else than a simple one, where a command begins.
constexpr std::array<std::string_view, 20> kReserved{"if",    "then", "else",   "elif", "fi",   "for",    "while",
                                                     "until", "do",   "done",   "case", "esac", "select", "function",
                                                     "[[",    "]]",   "coproc", "{",    "}",    "in"};

// Reads a script from its start to its end; bad() as soon as something is not plain.
class Splitter {
 public:
  explicit Splitter(std::string_view script) : script_(script) {}

  std::optional<std::vector<Pipeline>> split() {
    while (!bad_ && at_ < script_.size()) step();
    end_word();
    if (bad_ || !end_pipeline(Joint::kNext) || after_operator_) return std::nullopt;
    return std::move(pipelines_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0'; }

  void step() {
    const char c = peek();
    switch (c) {
      case ' ':
      case '\t':
        end_word();
        ++at_;
        break;
      case '\n':
        end_word();
        ++at_;
        if (!after_operator_) next_pipeline(Joint::kNext);
        break;
      case '#':
        if (in_word_) return add_character();
        while (at_ < script_.size() && peek() != '\n') ++at_;
        break;
      case ';':
      case '&':
      case '|':
        end_word();
        add_operator();
        break;
      case '<':
      case '>':
        begin_redirection();
        break;
      case '(':
      case ')':
      case '`':
      case '\0':
        bad_ = true;
        break;
      case '\'':
        add_single_quoted();
        break;
      case '"':
        add_double_quoted();
        break;
      case '$':
        add_dollar();
        break;
      case '\\':
        add_escaped();
        break;
      default:
        add_character();
    }
  }

  void add_character() {
    in_word_ = true;
    word_ += script_[at_++];
  }

  void add_escaped() {
    if (at_ + 1 >= script_.size()) {
      bad_ = true;
    } else if (peek(1) == '\n') {
      at_ += 2;
    } else {
      ++at_;
      quoted_ = true;
      add_character();
    }
  }

  void add_single_quoted() {
    const size_t end = script_.find('\'', at_ + 1);
    if (end == std::string_view::npos) {
      bad_ = true;
      return;
    }
    in_word_ = quoted_ = true;
    word_ += script_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }

  void add_double_quoted() {
    in_word_ = quoted_ = true;
    for (++at_; !bad_;) {
      const char c = peek();
      if (c == '"') {
        ++at_;
        return;
      }
      if (at_ >= script_.size() || c == '`') {
        bad_ = true;
      } else if (c == '$') {
        add_dollar();
      } else if (c == '\\' && (peek(1) == '"' || peek(1) == '\\' || peek(1) == '$' || peek(1) == '`')) {
        word_ += peek(1);
        at_ += 2;
      } else {
        word_ += c;
        ++at_;
      }
    }
  }

  void add_dollar() {
    const char next = peek(1);
    if (next == '(' || next == '\'' || next == '"' || next == '[') {
      bad_ = true;
      return;
    }
    size_t length = 1;
    if (next == '{') {
      const size_t end = script_.find_first_not_of(kNameLetters, at_ + 2);
      if (end == std::string_view::npos || end == at_ + 2 || script_[end] != '}') {
        bad_ = true;
        return;
      }
      length = end + 1 - at_;
    }
    in_word_ = true;
    word_ += script_.substr(at_, length);
    at_ += length;
  }

  void begin_redirection() {
    // A number right before it is a part of it; any other word ends here.
    const bool number = in_word_ && !quoted_ && word_.find_first_not_of("0123456789") == std::string::npos;
    std::string sign;
    if (number) {
      sign = std::exchange(word_, {});
      in_word_ = false;
    } else {
      end_word();
    }
    const char first = peek();
    sign += first;
    ++at_;
    if (peek() == '(' || (first == '<' && (peek() == '<' || peek() == '>'))) {
      bad_ = true;
      return;
    }
    while (peek() == '>' || peek() == '&' || peek() == '|') sign += script_[at_++];
    if (!redirection_.empty()) bad_ = true;
    redirection_ = sign;
  }

  void end_word() {
    if (!in_word_) return;
    if (!redirection_.empty()) {
      command_.redirections.push_back(std::exchange(redirection_, {}) + word_);
    } else if (command_.words.empty() && !quoted_ &&
               std::find(kReserved.begin(), kReserved.end(), word_) != kReserved.end()) {
      bad_ = true;
    } else if (!(command_.words.empty() && !quoted_ && word_ == "!" && stages_.empty())) {
      command_.words.push_back(word_);
    }
    word_.clear();
    in_word_ = quoted_ = false;
    after_operator_ = false;
  }

  void add_operator() {
    const char c = peek();
    const bool doubled = peek(1) == c;
    if (c == '&' && peek(1) == '>') {
      // &>file, &>>file
      at_ += 2;
      redirection_ = "&>";
      if (peek() == '>') ++at_;
      return;
    }
    if (c == ';' && !doubled) {
      ++at_;
      if (after_operator_ || !has_command()) bad_ = true;
      next_pipeline(Joint::kNext);
    } else if ((c == '&' || c == '|') && doubled) {
      at_ += 2;
      if (!has_command()) bad_ = true;
      next_pipeline(c == '&' ? Joint::kAnd : Joint::kOr);
      after_operator_ = true;
    } else if (c == '|') {
      at_ += peek(1) == '&' ? 2 : 1;
      if (!end_command()) bad_ = true;
      after_operator_ = true;
    } else {
      bad_ = true;  // a background job, or ;;
    }
  }

  bool has_command() const { return !command_.words.empty() || !command_.redirections.empty(); }

  bool end_command() {
    if (!has_command() || !redirection_.empty()) return false;
    stages_.push_back(std::exchange(command_, {}));
    return true;
  }

  // False when there is half a pipeline. None at all is fine.
  bool end_pipeline(Joint next) {
    if (!redirection_.empty()) return false;
    if (has_command()) {
      stages_.push_back(std::exchange(command_, {}));
    } else if (!stages_.empty()) {
      return false;
    }
    if (!stages_.empty()) {
      pipelines_.push_back({joint_, std::exchange(stages_, {})});
      joint_ = next;
    }
    return true;
  }

  void next_pipeline(Joint next) {
    if (!end_pipeline(next)) bad_ = true;
  }

  std::string_view script_;
  size_t at_ = 0;
  bool bad_ = false;
  std::vector<Pipeline> pipelines_;
  Joint joint_ = Joint::kNext;
  std::vector<SimpleCommand> stages_;
  SimpleCommand command_;
  std::string redirection_;  // its sign, while its word is awaited
  std::string word_;
  bool in_word_ = false;
  bool quoted_ = false;
  bool after_operator_ = false;  // a command must follow, on this line or a later one
};

}  // namespace

std::optional<std::vector<Pipeline>> split_script(std::string_view script) { return Splitter(script).split(); }

}  // namespace bashcell::script
