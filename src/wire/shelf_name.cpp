#include "wire/shelf_name.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace bashcell::wire {

namespace {

constexpr std::string_view kFirst = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kFurther = "abcdefghijklmnopqrstuvwxyz0123456789._-";

// bash finds these before it looks at PATH: `compgen -b` and `compgen -k` of bash 5.2, as far as they are names.
constexpr auto kBashWords = std::to_array<std::string_view>(
    {"alias",    "bg",        "bind",     "break",    "builtin", "caller",  "case",   "cd",      "command", "compgen",
     "complete", "compopt",   "continue", "coproc",   "declare", "dirs",    "disown", "do",      "done",    "echo",
     "elif",     "else",      "enable",   "esac",     "eval",    "exec",    "exit",   "export",  "false",   "fc",
     "fg",       "fi",        "for",      "function", "getopts", "hash",    "help",   "history", "if",      "in",
     "jobs",     "kill",      "let",      "local",    "logout",  "mapfile", "popd",   "printf",  "pushd",   "pwd",
     "read",     "readarray", "readonly", "return",   "select",  "set",     "shift",  "shopt",   "source",  "suspend",
     "test",     "then",      "time",     "times",    "trap",    "true",    "type",   "typeset", "ulimit",  "umask",
     "unalias",  "unset",     "until",    "wait",     "while"});

// A part of it, when it is long.
std::string shown(std::string_view name) {
  constexpr size_t kMost = 40;
  const std::string text = base::printable(name);
  return text.size() <= kMost ? text : std::string(base::utf8_prefix(text, kMost)) + "...";
}

}  // namespace

bool is_shelf_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxShelfName && kFirst.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kFurther) == std::string_view::npos;
}

std::string hides_a_command(std::string_view name) {
  return "'" + shown(name) + "' is a command already, and a saved script must not hide one: choose another name";
}

std::optional<std::string> shelf_name_problem(std::string_view name) {
  if (!is_shelf_name(name)) {
    return "'" + shown(name) +
           "' cannot be a name here: it must be 1 to 64 of a-z, 0-9 and . _ -, and begin with a letter or a digit";
  }
  const bool is_bash_word = std::find(kBashWords.begin(), kBashWords.end(), name) != kBashWords.end();
  if (is_bash_word || name == "cell") return hides_a_command(name);
  return std::nullopt;
}

}  // namespace bashcell::wire
