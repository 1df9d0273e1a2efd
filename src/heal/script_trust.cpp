#include "heal/script_trust.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bashcell::heal {

namespace {

constexpr size_t kMostCommands = 200;
constexpr std::string_view kSeparators = ";|&\n(){}`";

constexpr std::array<std::string_view, 34> kPrinters{
    "cat",    "grep",  "egrep", "fgrep", "head", "tail",   "less",    "more", "sed",  "awk",   "diff", "echo",
    "printf", "ls",    "wc",    "sort",  "uniq", "cut",    "tr",      "jq",   "nl",   "tac",   "rg",   "cd",
    "true",   "false", "exit",  "test",  "[",    "column", "strings", "fold", "zcat", "batcat"};

bool is_printer(std::string_view word) {
  return std::find(kPrinters.begin(), kPrinters.end(), word) != kPrinters.end();
}

bool is_starter(std::string_view word) {
  constexpr std::array<std::string_view, 9> kStarters{"make", "ninja", "python3", "perl", "node",
                                                      "ruby", "sh",    "bash",    "dash"};
  return std::find(kStarters.begin(), kStarters.end(), word) != kStarters.end();
}

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 10> kWords{"if",    "then",  "else", "elif", "do",
                                                    "while", "until", "!",    "time", "exec"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// NAME=value before a command. What is in the value is not looked at.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  constexpr std::string_view kName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return equals != std::string_view::npos && equals > 0 &&
         word.substr(0, equals).find_first_not_of(kName) == std::string_view::npos;
}

// From `at` to behind the word there; quotes hide blanks and separators.
size_t end_of_word(std::string_view script, size_t at) {
  char quote = '\0';
  for (; at < script.size(); ++at) {
    const char c = script[at];
    if (c == '\\' && quote != '\'') {
      ++at;
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == '\t' || kSeparators.find(c) != std::string_view::npos) {
      break;
    }
  }
  return std::min(at, script.size());
}

// A git command that only shows what is in the repository.
bool is_git_reader(std::string_view word, std::string_view next) {
  constexpr std::array<std::string_view, 6> kShows{"log", "diff", "show", "grep", "blame", "status"};
  return word == "git" && std::find(kShows.begin(), kShows.end(), next) != kShows.end();
}

std::string_view next_word(std::string_view script, size_t at) {
  at = script.find_first_not_of(" \t", at);
  if (at == std::string_view::npos) return {};
  return script.substr(at, end_of_word(script, at) - at);
}

}  // namespace

bool ScriptTrust::has_command(std::string_view name) const {
  return std::find(commands.begin(), commands.end(), name) != commands.end();
}

ScriptTrust trust_of(std::string_view script) {
  ScriptTrust trust;
  trust.hides_failures = script.find_first_of(";|&\n`") != std::string_view::npos ||
                         script.find("$(") != std::string_view::npos || script.find("<(") != std::string_view::npos;
  bool at_command = true;
  for (size_t at = 0; at < script.size();) {
    const char c = script[at];
    if (c == ' ' || c == '\t' || kSeparators.find(c) != std::string_view::npos) {
      at_command = at_command || (c != ' ' && c != '\t');
      ++at;
      continue;
    }
    const size_t end = end_of_word(script, at);
    const std::string_view word = script.substr(at, end - at);
    at = end;
    // A substitution in double quotes runs what is not looked at.
    if (word.find("\"$(") != std::string_view::npos || word.find('`') != std::string_view::npos)
      trust.runs_programs = true;
    if (!at_command || is_keyword(word) || is_assignment(word)) continue;
    if (trust.commands.size() == kMostCommands) {
      trust.runs_programs = true;
      break;
    }
    trust.commands.push_back(word);
    trust.starts_shells = trust.starts_shells || is_starter(word);
    if (!is_printer(word) && !is_git_reader(word, next_word(script, end))) trust.runs_programs = true;
    at_command = false;
  }
  return trust;
}

}  // namespace bashcell::heal
