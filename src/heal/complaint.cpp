#include "heal/complaint.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/protected_paths.h"
#include "heal/advice.h"
#include "heal/nearest.h"
#include "heal/package_table.h"

namespace bashcell::heal {

namespace {

enum class About { kOther, kNetwork, kRoot };
enum class Where { kAnywhere, kBegin, kEnd };

struct Phrase {
  std::string_view words;
  std::string_view hint;
  Where where = Where::kAnywhere;
  About about = About::kOther;
};

constexpr std::string_view kNoNetwork = "this cell has no network";
constexpr std::string_view kNoPip = "modules are not installed by pip here: just import them, known ones are installed";
constexpr std::string_view kNoTerminal =
    "no terminal and no input in this cell: pass answers as arguments or by a pipe";
constexpr std::string_view kCarriageReturns = "a file has CRLF line ends: sed -i 's/\\r$//' FILE";
constexpr std::string_view kIsDash = "sh is not bash here: run it with bash";
constexpr std::string_view kNoProgram =
    "its first line names a program that is not here: run it as bash FILE or python3 FILE";
constexpr std::string_view kWritable = "only /workspace and /tmp are writable";
constexpr std::string_view kPython2 = "this is python 2 code, and python 3 is what is here";
constexpr std::string_view kPerlModule = "that perl module is not here: use core modules, or python3";
constexpr std::string_view kIsMawk = "that function is gawk's, and awk is not gawk here: call gawk";
constexpr std::string_view kIdentity =
    "git wants a name first: git config --global user.name NAME; git config --global user.email MAIL";

constexpr Phrase kPhrases[] = {
    {"Could not resolve host", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"unable to resolve host address", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"Temporary failure in name resolution", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"Temporary failure resolving", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"Name or service not known", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"getaddrinfo EAI_AGAIN", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"getaddrinfo ENOTFOUND", kNoNetwork, Where::kAnywhere, About::kNetwork},
    {"Network is unreachable", kNoNetwork, Where::kEnd, About::kNetwork},
    {"wget: bad address", kNoNetwork, Where::kBegin, About::kNetwork},
    {"ERROR: No matching distribution found for ", kNoPip, Where::kBegin},
    {"error: externally-managed-environment", kNoPip, Where::kBegin},
    {"E: Could not open lock file", {}, Where::kBegin, About::kRoot},
    {"E: Unable to lock directory", {}, Where::kBegin, About::kRoot},
    {"E: Unable to acquire the dpkg", {}, Where::kBegin, About::kRoot},
    {"E: Unable to locate package", {}, Where::kBegin, About::kRoot},
    {"E: List directory /var/lib/apt", {}, Where::kBegin, About::kRoot},
    {"are you root?", {}, Where::kAnywhere, About::kRoot},
    {"dpkg: error: requested operation requires superuser", {}, Where::kBegin, About::kRoot},
    {"ERROR: Unable to lock database", {}, Where::kBegin, About::kRoot},  // apk
    {"su: Authentication failure", {}, Where::kBegin, About::kRoot},
    {"su: must be run from a terminal", {}, Where::kBegin, About::kRoot},
    {"su: must be suid to work properly", {}, Where::kBegin, About::kRoot},
    {"su: cannot set groups", {}, Where::kBegin, About::kRoot},
    {"sudo: ", {}, Where::kBegin, About::kRoot},
    {"must be superuser", {}, Where::kAnywhere, About::kRoot},
    {"you must be root", {}, Where::kAnywhere, About::kRoot},
    {"must be run as root", {}, Where::kAnywhere, About::kRoot},
    {"only root can do that", {}, Where::kAnywhere, About::kRoot},
    {": Operation not permitted", {}, Where::kEnd, About::kRoot},
    {"System has not been booted with systemd", kNoServices, Where::kBegin},
    {"Failed to connect to bus", kNoServices, Where::kBegin},
    {"Cannot connect to the Docker daemon", kNoContainers},
    {": Read-only file system", kWritable, Where::kEnd},
    {"OSError: [Errno 30] Read-only file system", kWritable},
    {"cannot open display", kNoDisplay},
    {"Can't open display", kNoDisplay},
    {"no display name and no $DISPLAY", kNoDisplay},
    {"could not connect to display", kNoDisplay},
    {"Missing X server or $DISPLAY", kNoDisplay},
    {"EOFError: EOF when reading a line", kNoTerminal, Where::kBegin},
    {"the input device is not a TTY", kNoTerminal},
    {"Inappropriate ioctl for device", kNoTerminal, Where::kEnd},
    {"TERM environment variable not set.", kNoTerminal, Where::kBegin},
    {"open terminal failed: not a terminal", kNoTerminal, Where::kBegin},
    {"Error opening terminal: ", kNoTerminal, Where::kBegin},
    {"Must be connected to a terminal.", kNoTerminal, Where::kBegin},
    {"$'\\r': command not found", kCarriageReturns, Where::kEnd},
    {"/bin/bash^M: bad interpreter", kCarriageReturns},
    {"/bin/sh^M: bad interpreter", kCarriageReturns},
    {": cannot execute: required file not found", kNoProgram, Where::kEnd},
    {": bad interpreter: No such file or directory", kNoProgram, Where::kEnd},
    {": cannot execute binary file: Exec format error", "that program is for another kind of machine", Where::kEnd},
    {": [[: not found", kIsDash, Where::kEnd},
    {": Syntax error: \"(\" unexpected", kIsDash, Where::kEnd},
    {": Bad substitution", kIsDash, Where::kEnd},
    {": Illegal option -o pipefail", kIsDash, Where::kEnd},
    {"SyntaxError: Missing parentheses in call to 'print'", kPython2, Where::kBegin},
    {"SyntaxError: Missing parentheses in call to 'exec'", kPython2, Where::kBegin},
    {"Error: Cannot find module '", kNoNodePackages, Where::kBegin},
    {"Error [ERR_MODULE_NOT_FOUND]: Cannot find package '", kNoNodePackages, Where::kBegin},
    {"Can't locate ", kPerlModule, Where::kBegin},
    {"function gensub never defined", kIsMawk, Where::kEnd},
    {"function asort never defined", kIsMawk, Where::kEnd},
    {"function asorti never defined", kIsMawk, Where::kEnd},
    {"function patsplit never defined", kIsMawk, Where::kEnd},
    {"function strtonum never defined", kIsMawk, Where::kEnd},
    {"Author identity unknown", kIdentity, Where::kBegin},
    {"*** Please tell me who you are.", kIdentity, Where::kBegin},
    {"fatal: detected dubious ownership", "git config --global --add safe.directory '*'", Where::kBegin},
    {": Argument list too long", "too many names for one command: find ... -exec COMMAND {} + or xargs", Where::kEnd},
    {": No space left on device", "/tmp is small and in memory: write large files to /workspace", Where::kEnd},
    {"CMake was unable to find a build program corresponding to \"Ninja\"", "ninja is installed by calling it once"},
};

bool matches(std::string_view line, const Phrase& phrase) {
  switch (phrase.where) {
    case Where::kBegin:
      return line.starts_with(phrase.words);
    case Where::kEnd:
      return line.ends_with(phrase.words);
    case Where::kAnywhere:
      break;
  }
  return line.find(phrase.words) != std::string_view::npos;
}

// "mkdir: cannot create directory '/opt/x': Permission denied"
std::string hint_for_denied(std::string_view line) {
  constexpr std::array<std::string_view, 12> kSystem{"/usr/", "/etc/", "/opt",  "/var/", "/root", "/bin/",
                                                     "/lib",  "/srv",  "/sys/", "/home", "/mnt",  "/sbin/"};
  if (line.find("Permission denied") == std::string_view::npos) return {};
  if (line.starts_with("E: ")) return {};
  for (const std::string_view folder : kSystem) {
    for (const std::string_view before : {"'", "`", "\xE2\x80\x98", " ", "\""}) {
      if (line.find(std::string(before) + std::string(folder)) != std::string_view::npos) return std::string(kWritable);
    }
  }
  // bash: line 1: ./s6: Permission denied
  const bool is_script = line.ends_with(": Permission denied") && line.find(": ./") != std::string_view::npos;
  return is_script && line.find(": line ") != std::string_view::npos ? "it is not executable: chmod +x it, or bash FILE"
                                                                     : std::string();
}

// "error: could not write config file .git/config: Device or resource busy", which is how a rename onto it fails
std::string hint_for_protected(std::string_view line) {
  if (!line.ends_with("Read-only file system") && !line.ends_with("Device or resource busy")) return {};
  const std::string_view name = engine::protected_name_in(line);
  if (name.empty()) return {};
  std::string hint(name);
  hint += " is read-only here, since programs outside trust it";
  if (name == ".git/config") hint += "; git config --global works";
  return hint;
}

struct Refused {
  std::string_view tool;
  std::string option;  // with its dashes
};

// From `text` on, up to a quote or a blank.
std::string_view option_at(std::string_view text) {
  for (const std::string_view open : {"'", "`", "\xE2\x80\x98", "\""}) {
    if (text.starts_with(open)) text.remove_prefix(open.size());
  }
  return text.substr(0, text.find_first_of(" '\"\xE2:="));
}

// "grep: unrecognized option '--foo'", "date: invalid option -- 'v'", "find: unknown predicate `-nope'"
std::optional<Refused> refused_option(std::string_view line) {
  struct Form {
    std::string_view words;
    std::string_view dashes;
  };
  constexpr std::array<Form, 12> kForms{{{": unrecognized option: ", "--"},  // musl
                                         {": unrecognized option ", ""},
                                         {": invalid option -- ", "-"},
                                         {": illegal option -- ", "-"},
                                         {": unknown option -- ", "-"},
                                         {": unknown predicate ", ""},
                                         {": unrecognized: ", ""},  // BusyBox's find
                                         {": Unknown option ", ""},
                                         {": option ", ""},
                                         {": error: unrecognized arguments: ", ""},
                                         {": error: Found argument ", ""},
                                         {": unknown option ", ""}}};
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos || !is_command_name(line.substr(0, colon))) return std::nullopt;
  for (const Form& form : kForms) {
    if (!line.substr(colon).starts_with(form.words)) continue;
    const std::string_view option = option_at(line.substr(colon + form.words.size()));
    const bool is_option = !option.empty() && (!form.dashes.empty() || option.starts_with("-"));
    if (is_option) return Refused{line.substr(0, colon), std::string(form.dashes) + std::string(option)};
  }
  return std::nullopt;
}

// What a wrong option of another system's tool looks like when it was taken for something else.
std::string hint_for_mistaken(std::string_view line, std::string_view script) {
  const auto has = [script](std::string_view words) { return script.find(words) != std::string_view::npos; };
  if (line.starts_with("sed: can't read ") || line.starts_with("sed: -e expression #1") ||
      line.starts_with("sed: no input files")) {
    if (has("sed -i ''") || has("sed -i \"\"")) return "GNU sed: -i alone, without ''";
  }
  const bool is_stat = line.starts_with("stat: cannot read file system information for '%") ||
                       line.starts_with("stat: cannot read file system information for \xE2\x80\x98%") ||
                       line.starts_with("stat: invalid option -- '%'");
  if (is_stat) return "GNU stat: stat -c %s FILE, not -f";
  if (line.starts_with("find: paths must precede expression")) return "quote the pattern: find . -name '*.x'";
  return {};
}

}  // namespace

std::string hint_for_line(std::string_view line, const Surroundings& around) {
  if (std::string hint = hint_for_mistaken(line, around.script); !hint.empty()) return hint;
  if (const auto refused = refused_option(line)) {
    if (std::string hint = hint_for_option(refused->tool, refused->option, around.is_busybox); !hint.empty())
      return hint;
  }
  if (std::string hint = hint_for_protected(line); !hint.empty()) return hint;
  for (const Phrase& phrase : kPhrases) {
    if (!matches(line, phrase)) continue;
    if (phrase.about == About::kNetwork && around.has_network) continue;
    // A file of the script's own, not a package's.
    if (phrase.hint == kNoNodePackages && (line.find("'.") != std::string_view::npos || line.find("'/") != line.npos)) {
      continue;
    }
    return phrase.about == About::kRoot ? no_root(around.uid) : std::string(phrase.hint);
  }
  return hint_for_denied(line);
}

}  // namespace bashcell::heal
