#pragma once
// How one script becomes one fresh bash: the boot text, the descriptors, and the first line.
//
// bash is started as `bash --norc --noprofile script` in the run folder, where `script` is a link to /proc/self/fd/250,
// with an environment of BASH_ENV alone. BASH_ENV names the boot text: it sets the trap that saves the state, restores
// the state, and then sources the go pipe, which blocks until the supervisor has written the script (prewarming).
// bash opens the script itself, so $?, PIPESTATUS, syntax errors, line numbers and heredocs are native: no eval.
// Nothing of a call is in an argv. Verified with bash 5.2. The descriptors' numbers: shell_fds.h.

#include <string>
#include <string_view>

namespace bashcell::supervisor {

inline constexpr std::string_view kBootPath = "/proc/self/fd/254";
inline constexpr std::string_view kScriptName = "script";

// How far a shell is restored, as a variable of it: what the state's text sets once nothing of it can get lost, and
// what the script's prefix sets at its end. A shell that is ended before that saves nothing.
inline constexpr std::string_view kRestored = "__cs";
inline constexpr std::string_view kStateRestored = "__cs=state";
inline constexpr std::string_view kAllRestored = "__cs=all";

// The constant text behind BASH_ENV, for cells whose helper command is in `run_folder`/bin. When the state could not be
// restored, bash ends by SIGUSR1 before it reads the go pipe.
std::string boot_text(std::string_view run_folder);

// A function of this name and definition (as bash prints it) is the boot text's own, and no part of the state: bash
// calls it, in the process that was to become the command, when it finds no such command.
inline constexpr std::string_view kMissHandler = "command_not_found_handle";
bool is_our_miss_handler(std::string_view definition);

// Goes through the go pipe. So long that bash needs two reads for it: one that is being killed finishes the read(2)
// that it is in, and no other, so that what is left then shows that it never came to its script.
std::string_view go_text();

// What stands before the script's first line, on the same line: back to the cwd of the last call, OLDPWD as it was, and
// the last private descriptors closed. Ends with "; ".
std::string script_prefix(std::string_view cwd, std::string_view old_cwd, bool has_late_functions,
                          std::string_view workspace);

// As one shell word on one line: '...', or $'...' where there are control characters.
std::string shell_quoted(std::string_view text);

}  // namespace bashcell::supervisor
