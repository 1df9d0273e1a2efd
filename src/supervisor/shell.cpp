#include "supervisor/shell.h"

#include <algorithm>

namespace bashcell::supervisor {

namespace {

// Runs in the EXIT trap. POSIXLY_CORRECT=1 is an assignment, which no function or alias can intercept, and in posix
// mode the special builtins (unset) are found before functions of that name; so `builtin` can be trusted from the
// second line on. The backslashes keep aliases out. BASHOPTS is read first: posix mode
// changes options.
// NUL separates the sections: no value can contain it.
// A write to the pipe can fail for lack of memory, and `declare` ends with 0 even so (bash 5.2): what tells is that it
// complains, and that in a file, of which none may grow meanwhile: a SIGXFSZ. Then the end mark is not written.
constexpr std::string_view kSave =
    R"sh({ __cp="$? ${PIPESTATUS[@]}" __cb=$BASHOPTS __cx=${__cell_trap-} POSIXLY_CORRECT=1
\unset -f builtin
\builtin set +efuxvnC
\unset -v POSIXLY_CORRECT __ce
\builtin trap - DEBUG ERR RETURN
\builtin trap "__ce=1" XFSZ
\builtin ulimit -S -f 0
[[ ${__cs-} == all ]] && {
\builtin printf "#cell1\0%s\0%s\0%s\0%s\0" "$__cp" "$__cb" "$PWD" "${OLDPWD-}"
\builtin declare -p
\builtin printf "\0"
\builtin umask
\builtin printf "\0"
\builtin alias -p
\unset -f trap
\builtin printf "\0"
\builtin declare -F
\builtin printf "\0"
\builtin declare -f
\builtin printf "\0"
[[ ${FUNCNAME-} ]] && \builtin local -p
[[ ${__ce-} ]] || \builtin printf "\0#end\0"
} >&252 2>&248
\builtin ulimit -S -f hard
\builtin trap - XFSZ
} 2>/dev/null
[[ $__cx ]] && { ( \builtin exit ${__cp%% *} ) ; \eval "$__cx" ; })sh";

// The script's own EXIT trap is kept in a variable and run after the save: replacing ours would lose the state.
constexpr std::string_view kTrapShim = R"sh(trap ()
{
    if [[ $# == 0 || $# == 1 && $1 == -p ]]; then
        builtin trap -p {1..31} ERR DEBUG RETURN
        [[ -z ${__cell_trap-} ]] || builtin printf "trap -- %q EXIT\n" "$__cell_trap"
        return
    fi
    if [[ $BASH_SUBSHELL != 0 || $# -lt 2 || $1 == -[lp] ]]; then
        builtin trap "$@"
        return
    fi
    local a r=() s
    [[ $1 == -- ]] && shift
    a=$1
    shift
    for s in "$@"; do
        case $s in
            EXIT | exit | Exit | 0)
                [[ $a == - ]] && a=
                __cell_trap=$a
                ;;
            *)
                r+=("$s")
                ;;
        esac
    done
    (( ${#r[@]} == 0 )) || builtin trap -- "$a" "${r[@]}"
}
)sh";

// The process that was to become the command becomes the helper, and that the command, if it can be had: with its
// arguments, stdin and place in the pipeline. What it is to say otherwise is bash's own sentence.
constexpr std::string_view kMissCall = "/bin/cell heal --exec \"$0: line ${BASH_LINENO[0]}: \" \"$@\"";

// At least what bash takes from a pipe with one read(2) when it sources it (ZBUFSIZ in its lib/sh/zmapfd.c, 4096).
constexpr size_t kReadPiece = 4096;

}  // namespace

std::string boot_text(std::string_view run_folder) {
  std::string text = "\\unset -v BASH_ENV\n";
  text += "trap '" + std::string(kSave) + "' EXIT\n";  // holds no single quote
  text += kTrapShim;
  text += "\\. /proc/self/fd/251 2>/dev/null\n";
  text += "[[ ${__cs-} == state ]] || \\builtin kill -USR1 $$\n";
  // Exported, for the bashes that a script starts. One that the script has defined comes with the state, and wins.
  text += "\\builtin declare -F " + std::string(kMissHandler) + " >/dev/null || { " + std::string(kMissHandler) +
          "() { \\exec " + std::string(run_folder) + std::string(kMissCall) + "; }; \\builtin export -f " +
          std::string(kMissHandler) + "; }\n";
  text += "\\exec 251<&- 254<&-\n";  // not `builtin exec`: that would undo the redirection
  text += "\\. /proc/self/fd/253\n";
  return text;
}

bool is_our_miss_handler(std::string_view definition) { return definition.find(kMissCall) != std::string_view::npos; }

std::string_view go_text() {
  static const std::string text = "\\exec 253<&-; SECONDS=0 #" + std::string(kReadPiece, ' ') + "\n";
  return text;
}

std::string script_prefix(std::string_view cwd, std::string_view old_cwd, bool has_late_functions,
                          std::string_view workspace) {
  std::string line = "\\builtin cd -- " + shell_quoted(cwd) + " 2>/dev/null || { \\builtin cd -- " +
                     shell_quoted(workspace) + "; \\builtin echo " +
                     shell_quoted("cannot return to " + std::string(cwd) + ": now in " + std::string(workspace)) +
                     " >&2; }; ";
  line += old_cwd.empty() ? "\\builtin unset -v OLDPWD; " : "OLDPWD=" + shell_quoted(old_cwd) + "; ";
  line += "\\exec 250<&-; ";
  if (has_late_functions) line += "\\. /proc/self/fd/249; ";
  return line + std::string(kAllRestored) + "; ";
}

std::string shell_quoted(std::string_view text) {
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) { return c > 0 && c < ' '; });
  std::string word = has_control ? "$'" : "'";
  for (const char c : text) {
    if (!has_control) {
      word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    } else if (c > 0 && c < ' ') {
      word +=
          {'\\', static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8), static_cast<char>('0' + c % 8)};
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return word + "'";
}

}  // namespace bashcell::supervisor
