#include "supervisor/state.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "supervisor/shell.h"

namespace bashcell::supervisor {

namespace {

// Set by every shell for itself, or ours.
bool is_shell_owned(std::string_view name) {
  constexpr std::array<std::string_view, 30> kOwned{"_",
                                                    "COLUMNS",
                                                    "COMP_WORDBREAKS",
                                                    "COPROC",
                                                    "COPROC_PID",
                                                    "DIRSTACK",
                                                    "EPOCHREALTIME",
                                                    "EPOCHSECONDS",
                                                    "EUID",
                                                    "FUNCNAME",
                                                    "GROUPS",
                                                    "HISTCMD",
                                                    "HOSTTYPE",
                                                    "LINENO",
                                                    "LINES",
                                                    "MACHTYPE",
                                                    "OLDPWD",
                                                    "OPTERR",
                                                    "OPTIND",
                                                    "OSTYPE",
                                                    "PIPESTATUS",
                                                    "POSIXLY_CORRECT",
                                                    "PPID",
                                                    "PWD",
                                                    "RANDOM",
                                                    "SECONDS",
                                                    "SHELLOPTS",
                                                    "SHLVL",
                                                    "SRANDOM",
                                                    "UID"};
  return name.starts_with("BASH") || std::find(kOwned.begin(), kOwned.end(), name) != kOwned.end() || name == "__cp" ||
         name == "__cb" || name == "__cx" || name == "__ce" || name == kRestored || name == "__cell_trap";
}

// Set by a fresh bash even when the environment is empty: unset first, so that an `unset PATH` carries over.
constexpr std::string_view kSetByBash = "\\unset -v PATH TERM HOME SHELL IFS PS4 HOSTNAME OPTARG\n";

// Functions that the restore itself would trip over; they are defined last.
bool hides_a_builtin(std::string_view name) { return name == "builtin" || name == "exec" || name == "."; }

// Says how the shell was started; not an option that a script chose.
bool is_fixed_shopt(std::string_view name) { return name == "login_shell" || name == "restricted_shell"; }

std::string joined(const std::set<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) (text.empty() ? text : text += between) += word;
  return text;
}

// To set them all takes a shell as long as all else here, and most are to have what a fresh one has, and aliases.
std::string restore_shopts(std::set<std::string> wanted) {
  std::string each =
      "\\builtin shopt -u extglob checkwinsize cmdhist complete_fullquote extquote force_fignore globasciiranges"
      " hostcomplete interactive_comments progcomp promptvars sourcepath\n"
      "\\builtin shopt -u globskipdots patsub_replacement\n";  // since bash 5.2; one line, so that older ones skip it
  if (!wanted.empty()) each += "\\builtin shopt -s " + joined(wanted, ' ') + "\n";
  const bool expands_aliases = wanted.erase("expand_aliases") > 0;
  std::string text = "[[ $BASHOPTS == '" + joined(wanted, ':') + "' ]] || {\n" + each + "}\n";
  return expands_aliases ? text + "\\builtin shopt -s expand_aliases\n" : text;
}

// Where the quoted or plain word that starts at `at` stops being quoted: the index after one lexical unit.
size_t skip_unit(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '\\') return std::min(at + 2, text.size());
  const bool ansi = c == '$' && at + 1 < text.size() && text[at + 1] == '\'';
  if (c != '"' && c != '\'' && !ansi) return at + 1;
  const char close = c == '"' ? '"' : '\'';
  const bool escapes = c == '"' || ansi;
  for (size_t i = at + (ansi ? 2 : 1); i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == close) {
      return i + 1;
    }
  }
  return text.size();
}

// "declare -x NAME=..." -> NAME; empty if it has another form.
std::string_view declared_name(std::string_view item) {
  if (!item.starts_with("declare -")) return {};
  const size_t flags_end = item.find(' ', 8);
  if (flags_end == std::string_view::npos) return {};
  std::string_view rest = item.substr(flags_end + 1);
  return rest.substr(0, rest.find('='));
}

std::string_view alias_name(std::string_view item) {
  if (!item.starts_with("alias ")) return {};
  std::string_view rest = item.substr(6);
  if (rest.starts_with("-- ")) rest.remove_prefix(3);
  return rest.substr(0, rest.find('='));
}

// Those that are not empty.
std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines = base::split(text, '\n');
  std::erase(lines, std::string_view());
  return lines;
}

// `names` is `declare -F` ("declare -f NAME", flags may follow the f), `bodies` is `declare -f`: the same functions in
// the same order. A body may hold any text (heredocs), so each is found by the header of the next.
bool read_functions(std::string_view names, std::string_view bodies, std::map<std::string, std::string>& functions) {
  struct Entry {
    std::string_view flags;
    std::string_view name;
    size_t start = 0;
  };
  std::vector<Entry> entries;
  size_t at = 0;
  for (const std::string_view line : split_lines(names)) {
    if (!line.starts_with("declare -f")) return false;
    const size_t space = line.find(' ', 8);
    if (space == std::string_view::npos) return false;
    Entry entry{line.substr(9, space - 9), line.substr(space + 1), 0};
    const std::string plain = std::string(entry.name) + " () \n";
    const std::string marked = "function " + plain;
    // At a line start, at or after the end of the former header.
    size_t found = at;
    for (;; ++found) {
      if (found > bodies.size()) return false;
      const std::string_view here = bodies.substr(found);
      if (here.starts_with(plain) || here.starts_with(marked)) break;
      found = bodies.find('\n', found);
      if (found == std::string_view::npos) return false;
    }
    entry.start = found;
    at = found + plain.size();
    entries.push_back(entry);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    const size_t end = i + 1 < entries.size() ? entries[i + 1].start : bodies.size();
    std::string text(bodies.substr(entries[i].start, end - entries[i].start));
    if (entries[i].flags != "f") {
      text += "\\builtin declare -" + std::string(entries[i].flags) + " -- " + shell_quoted(entries[i].name) + "\n";
    }
    functions[std::string(entries[i].name)] = std::move(text);
  }
  return true;
}

std::vector<int> read_stages(std::string_view text) {
  std::vector<int> stages;
  size_t at = text.find(' ');  // the first number is $?
  while (at != std::string_view::npos && stages.size() < 256) {
    int value = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) value = value * 10 + (text[at] - '0');
    stages.push_back(value % 256);
    at = text.find(' ', at);
  }
  return stages;
}

template <typename Map>
void merge_map(const Map& start, const Map& end, Map& now) {
  for (const auto& [key, value] : end) {
    const auto before = start.find(key);
    if (before == start.end() || before->second != value) now[key] = value;
  }
  for (const auto& [key, value] : start) {
    if (end.find(key) == end.end()) now.erase(key);
  }
}

}  // namespace

ShellState ShellState::initial(std::string cwd, const std::vector<std::pair<std::string, std::string>>& environment) {
  ShellState state;
  state.cwd = std::move(cwd);
  for (const auto& [name, value] : environment) {
    if (!is_shell_owned(name)) state.variables[name] = "declare -x " + name + "=" + shell_quoted(value);
  }
  // A function that calls itself for ever ends with a sentence after a fraction of a second, not with a segmentation
  // fault after many: bash needs time quadratic in the depth.
  state.variables["FUNCNEST"] = "declare -- FUNCNEST=\"2000\"";
  // The options of a non-interactive bash, and aliases, which an interactive user expects to work.
  state.shopts = {
      "checkwinsize",       "cmdhist",         "complete_fullquote", "expand_aliases", "extquote",
      "force_fignore",      "globasciiranges", "globskipdots",       "hostcomplete",   "interactive_comments",
      "patsub_replacement", "progcomp",        "promptvars",         "sourcepath"};
  return state;
}

std::vector<std::string_view> split_listing(std::string_view listing) {
  std::vector<std::string_view> items;
  size_t start = 0;
  for (size_t at = 0; at < listing.size();) {
    if (listing[at] == '\n') {
      if (at > start) items.push_back(listing.substr(start, at - start));
      start = ++at;
    } else {
      at = skip_unit(listing, at);
    }
  }
  if (start < listing.size()) items.push_back(listing.substr(start));
  return items;
}

std::optional<SavedShell> parse_saved(std::string_view bytes, const ShellState& start, std::string_view run_folder) {
  constexpr size_t kSections = 13;
  std::vector<std::string_view> sections;
  for (size_t at = 0; at <= bytes.size() && sections.size() <= kSections;) {
    const size_t end = std::min(bytes.find('\0', at), bytes.size());
    sections.push_back(bytes.substr(at, end - at));
    at = end + 1;
  }
  if (sections.size() != kSections || sections[0] != "#cell1" || sections[11] != "#end") {
    return std::nullopt;
  }
  SavedShell saved;
  saved.stages = read_stages(sections[1]);
  ShellState& state = saved.state;
  const std::string_view bash_options = sections[2];
  for (size_t at = 0; at <= bash_options.size();) {
    const size_t end = std::min(bash_options.find(':', at), bash_options.size());
    const std::string_view name = bash_options.substr(at, end - at);
    if (!name.empty() && !is_fixed_shopt(name)) state.shopts.insert(std::string(name));
    at = end + 1;
  }
  state.cwd = sections[3];
  state.old_cwd = sections[4];
  if (state.cwd == run_folder || state.cwd.empty()) {
    // The first line never ran, so neither did the cd before it.
    state.cwd = start.cwd;
    state.old_cwd = start.old_cwd;
  }
  bool listed = false;  // `declare` itself may be disabled
  for (const std::string_view item : split_listing(sections[5])) {
    const std::string_view name = declared_name(item);
    listed = listed || name == "BASH_VERSION";
    if (!name.empty() && !is_shell_owned(name)) state.variables[std::string(name)] = item;
  }
  for (const std::string_view line : split_lines(sections[6])) state.umask = line;
  for (const std::string_view item : split_listing(sections[7])) {
    if (const std::string_view name = alias_name(item); !name.empty()) state.aliases[std::string(name)] = item;
  }
  if (!listed || !read_functions(sections[8], sections[9], state.functions)) return std::nullopt;
  const auto handler = state.functions.find(std::string(kMissHandler));
  if (handler != state.functions.end() && is_our_miss_handler(handler->second)) state.functions.erase(handler);
  // `exit` inside a function: its locals are no variables of the shell. (Those of its callers cannot be told.)
  for (const std::string_view item : split_listing(sections[10])) {
    const std::string name(declared_name(item));
    const auto before = start.variables.find(name);
    if (before == start.variables.end()) {
      state.variables.erase(name);
    } else {
      state.variables[name] = before->second;
    }
  }
  return saved;
}

ShellState merged(const ShellState& start, const ShellState& end, const ShellState& now) {
  if (start == now) return end;
  ShellState result = now;
  if (end.cwd != start.cwd) result.cwd = end.cwd;
  if (end.old_cwd != start.old_cwd) result.old_cwd = end.old_cwd;
  if (end.umask != start.umask) result.umask = end.umask;
  merge_map(start.variables, end.variables, result.variables);
  merge_map(start.aliases, end.aliases, result.aliases);
  merge_map(start.functions, end.functions, result.functions);
  for (const std::string& name : end.shopts) {
    if (!start.shopts.contains(name)) result.shopts.insert(name);
  }
  for (const std::string& name : start.shopts) {
    if (!end.shopts.contains(name)) result.shopts.erase(name);
  }
  return result;
}

RestoreText restore_text(const ShellState& state) {
  // The functions may need extglob to parse, and are expanded already: aliases come on last.
  RestoreText text;
  std::string& out = text.state;
  out = kSetByBash;
  for (const auto& [name, declaration] : state.variables) out += declaration + "\n";
  out += "umask " + state.umask + "\n";
  for (const auto& [name, definition] : state.aliases) out += definition + "\n";
  (out += kStateRestored) += '\n';
  if (!state.functions.empty()) {
    out += "\\builtin shopt -s extglob\n";
    for (const auto& [name, definition] : state.functions) (hides_a_builtin(name) ? text.late : out) += definition;
    out += "\\builtin shopt -u extglob\n";
  }
  out += restore_shopts(state.shopts);
  if (!text.late.empty()) text.late.insert(0, "\\exec 249<&-\n");
  return text;
}

size_t restored_size(const ShellState& state) {
  const RestoreText text = restore_text(state);
  return text.state.size() + text.late.size();
}

}  // namespace bashcell::supervisor
