#include "tools/script_command.h"

#include <algorithm>
#include <array>

namespace bashcell::tools {

namespace {

using Words = std::vector<std::string>;

constexpr size_t kMaxScript = size_t{64} << 10;

template <size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// NAME=value, NAME+=value.
bool is_assignment(std::string_view word) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  const size_t end = word.find_first_not_of(kLetters);
  if (end == 0 || end == std::string_view::npos || (word[0] >= '0' && word[0] <= '9')) return false;
  return word[end] == '=' || word.substr(end, 2) == "+=";
}

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

std::string_view base_name(std::string_view word) {
  const size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool is_python(std::string_view name) {
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string_view::npos;
}

// Programs that run the rest of their words, and those of their options that take a word of their own.
struct Wrapper {
  std::string_view name;
  std::string_view second;          // a word that must follow: `uv run`; empty: none
  std::string_view options_of_two;  // with a blank before and after each
  std::string_view known_options;   // others make it unclear; "*": any
  bool takes_assignments = false;
  bool takes_a_word = false;  // the time of timeout
};

constexpr std::array<Wrapper, 14> kWrappers{{
    {"time", "", " -f -o ", "*"},
    {"nice", "", " -n ", "*"},
    {"env", "", " -u -C ", " -i -u -C ", true},
    {"timeout", "", " -k -s ", "*", false, true},
    {"command", "", "", " -p "},
    {"stdbuf", "", " -i -o -e ", "*"},
    {"nohup", "", "", ""},
    {"npx", "", "", " -y --yes --no --no-install -- "},
    {"bunx", "", "", ""},
    {"pnpm", "exec", "", ""},
    {"uv", "run", "", " --frozen --locked --no-sync --quiet -q "},
    {"poetry", "run", "", ""},
    {"pipenv", "run", "", ""},
    {"pdm", "run", "", ""},
}};

bool listed(std::string_view list, std::string_view word) {
  return list == "*" || list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// Takes one wrapper off. False when there is none; `words` is empty afterwards when it is not clear what it wraps.
bool unwrap(Words& words) {
  const std::string_view name = base_name(words[0]);
  const auto found = std::find_if(kWrappers.begin(), kWrappers.end(), [&](const Wrapper& wrapper) {
    return wrapper.name == name && (wrapper.second.empty() || (words.size() > 1 && words[1] == wrapper.second));
  });
  if (found == kWrappers.end()) return false;
  size_t at = found->second.empty() ? 1 : 2;
  while (at < words.size() && is_option(words[at])) {
    if (!listed(found->known_options, words[at])) return words.clear(), true;
    at += found->options_of_two != "" && listed(found->options_of_two, words[at]) ? 2 : 1;
  }
  while (found->takes_assignments && at < words.size() && is_assignment(words[at])) ++at;
  if (found->takes_a_word) ++at;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())));
  return true;
}

// `python3 -m pytest` is pytest.
bool unwrap_python(Words& words) {
  if (!is_python(base_name(words[0]))) return false;
  constexpr std::array<std::string_view, 5> kSwitches{"-u", "-B", "-I", "-s", "-E"};
  size_t at = 1;
  while (at < words.size() && one_of(words[at], kSwitches)) ++at;
  if (at + 1 >= words.size() || words[at] != "-m") return false;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at + 1));
  return true;
}

// Only prepares, and prints nothing.
bool prepares(const script::Pipeline& pipeline) {
  constexpr std::array<std::string_view, 11> kPreparing{"cd", "pushd", "export", "set",    "shopt", "source",
                                                        ".",  "unset", "umask",  "ulimit", "true"};
  if (pipeline.stages.size() != 1) return false;
  const Words& words = pipeline.stages[0].words;
  return std::all_of(words.begin(), words.end(), is_assignment) || one_of(words[0], kPreparing);
}

// 2>&1, 2>/dev/null and <file leave the output where it is.
bool output_stays(const script::SimpleCommand& command) {
  return std::all_of(command.redirections.begin(), command.redirections.end(), [](const std::string& redirection) {
    return redirection == "2>&1" || redirection == "2>/dev/null" || redirection[0] == '<';
  });
}

// `(cd x && make)`: what is in the parentheses, when they are the only ones.
std::string_view without_subshell(std::string_view script) {
  constexpr std::string_view kBlanks = " \t\n";
  const size_t begin = script.find_first_not_of(kBlanks);
  const size_t end = script.find_last_not_of(kBlanks);
  if (begin == std::string_view::npos || end <= begin || script[begin] != '(' || script[end] != ')') return script;
  const std::string_view inside = script.substr(begin + 1, end - begin - 1);
  return inside.find_first_of("()") == std::string_view::npos ? inside : script;
}

bool is_bare_cat(const script::SimpleCommand& command) {
  return command.words.size() == 1 && command.words[0] == "cat" && command.redirections.empty();
}

}  // namespace

Words unwrapped(const script::SimpleCommand& command) {
  Words words = command.words;
  const auto begin = std::find_if_not(words.begin(), words.end(), is_assignment);
  words.erase(words.begin(), begin);
  while (!words.empty() && (unwrap(words) || unwrap_python(words))) {
  }
  if (words.empty() || words[0].find_first_of("$*?[~ \t\n") != std::string::npos) {
    if (words.empty() || words[0] != "[") return {};
  }
  words[0] = std::string(base_name(words[0]));
  return words;
}

std::optional<std::string> only_command(std::string_view script) {
  if (script.size() > kMaxScript) return std::nullopt;
  const auto pipelines = script::split_script(without_subshell(script));
  if (!pipelines) return std::nullopt;
  const auto begin = std::find_if_not(pipelines->begin(), pipelines->end(), prepares);
  if (begin == pipelines->end() || begin + 1 != pipelines->end()) return std::nullopt;
  const bool alternatives = std::any_of(pipelines->begin(), pipelines->end(), [](const script::Pipeline& pipeline) {
    return pipeline.joint == script::Joint::kOr;
  });
  const std::vector<script::SimpleCommand>& stages = begin->stages;
  if (alternatives || !std::all_of(stages.begin() + 1, stages.end(), is_bare_cat) || !output_stays(stages[0])) {
    return std::nullopt;
  }
  const Words words = unwrapped(stages[0]);
  if (words.empty()) return std::nullopt;
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace bashcell::tools
