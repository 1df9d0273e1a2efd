#pragma once
// The shell state that carries over from call to call (P6), as a value: cwd, variables, functions, aliases, shopt
// options, umask. Read from what the EXIT trap wrote (shell.h), merged, and turned into the text that restores it.
//
// Not carried: set -o options, traps, jobs, open descriptors, positional parameters, and what belongs to the shell
// itself (BASH*, PPID, SECONDS, ...).

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bashcell::supervisor {

inline constexpr size_t kMaxStateBytes = 256 * 1024;

struct ShellState {
  std::string cwd;
  std::string old_cwd;  // OLDPWD; may be empty
  std::string umask = "0022";
  std::map<std::string, std::string> variables;  // name -> "declare -x NAME=..." as bash prints it
  std::map<std::string, std::string> aliases;    // name -> "alias NAME=..."
  std::map<std::string, std::string> functions;  // name -> definition, with a line for its flags
  std::set<std::string> shopts;                  // those that are on

  bool operator==(const ShellState&) const = default;

  // What a new cell starts with: `environment` as exported variables, aliases expanded, cwd as given.
  static ShellState initial(std::string cwd, const std::vector<std::pair<std::string, std::string>>& environment);
};

struct SavedShell {
  std::vector<int> stages;  // PIPESTATUS when the script ended
  ShellState state;
};

// From the bytes of the save pipe. Nothing if they are not whole or not of the form the trap writes. `start` is what
// the script began with: a script that ended before its first line ran (a syntax error there) keeps its cwd.
std::optional<SavedShell> parse_saved(std::string_view bytes, const ShellState& start, std::string_view run_folder);

// What `now` becomes when a call that began at `start` ends with `end`: only what the call changed is changed.
ShellState merged(const ShellState& start, const ShellState& end, const ShellState& now);

struct RestoreText {
  std::string state;  // for kStateFd; says kStateRestored before the functions, of which one may not parse
  std::string late;   // for kLateFd: functions named like a builtin; empty when there are none
};
RestoreText restore_text(const ShellState& state);

// The size of both texts together; what kMaxStateBytes caps.
size_t restored_size(const ShellState& state);

// One `declare -p` or `alias -p` listing, cut into its items; knows bash's quoting, so values may span lines.
std::vector<std::string_view> split_listing(std::string_view listing);

}  // namespace bashcell::supervisor
