#include "heal/repairable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "script/first_command.h"
#include "script/words.h"

namespace bashcell::heal {

namespace {

// Larger ones are not what a slip makes, and not worth sending.
constexpr size_t kMaxScript = size_t{16} << 10;

struct Complaint {
  size_t line = 0;
  std::string_view text;
};

// "script: line 3: TEXT", as bash says it of the script itself: not of an eval, a file that it reads, another bash.
std::optional<Complaint> complaint_in(std::string_view said) {
  constexpr std::string_view kBeginning = "script: line ";
  if (!said.starts_with(kBeginning)) return std::nullopt;
  said.remove_prefix(kBeginning.size());
  Complaint complaint;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), complaint.line);
  said.remove_prefix(static_cast<size_t>(end - said.data()));
  if (error != std::errc() || complaint.line == 0 || !said.starts_with(": ")) return std::nullopt;
  complaint.text = said.substr(2);
  return complaint;
}

bool was_not_read(const FailedRun& run, const std::vector<std::string_view>& said) {
  constexpr std::array<std::string_view, 2> kEnd{"syntax error: unexpected end of file",
                                                 "unexpected EOF while looking for "};
  constexpr std::array<std::string_view, 4> kCondition{"unexpected argument `", "unexpected token `",
                                                       "conditional binary operator expected",
                                                       "syntax error in conditional expression"};
  if (run.code != 1 && run.code != 2) return false;
  const std::optional<Complaint> complaint = complaint_in(said[0]);
  if (!complaint) return false;
  const auto begins = [&](std::string_view beginning) { return complaint->text.starts_with(beginning); };
  const script::FirstCommand first = script::first_command(run.script);
  // What bash says of a script's end must be so by our own reading, too.
  if (std::any_of(kEnd.begin(), kEnd.end(), begins)) return first.open_at_end && said.size() <= 2;
  if (complaint->line > first.last_line) return false;
  if (std::any_of(kCondition.begin(), kCondition.end(), begins)) return run.script.find("[[") != std::string::npos;
  if (!begins("syntax error near unexpected token `") || said.size() != 2) return false;
  const std::vector<std::string_view> lines = base::split(run.script, '\n');
  const std::optional<Complaint> quote = complaint_in(said[1]);
  return quote && complaint->line <= lines.size() && quote->line == complaint->line &&
         quote->text == "`" + std::string(lines[complaint->line - 1]) + "'";
}

// Nothing is made, written or cut off by them.
bool are_harmless(const std::vector<std::string>& redirections) {
  constexpr std::array<std::string_view, 6> kHarmless{"2>&1",        ">&2",        "1>&2",
                                                      "2>/dev/null", ">/dev/null", "&>/dev/null"};
  return std::all_of(redirections.begin(), redirections.end(), [&](const std::string& redirection) {
    return redirection[0] == '<' || std::find(kHarmless.begin(), kHarmless.end(), redirection) != kHarmless.end();
  });
}

// The words of a script that is one simple command, without assignments before it.
std::optional<std::vector<std::string>> single_command(std::string_view script) {
  const auto pipelines = script::split_script(script);
  if (!pipelines || pipelines->size() != 1 || pipelines->front().stages.size() != 1) return std::nullopt;
  const script::SimpleCommand& command = pipelines->front().stages.front();
  if (!are_harmless(command.redirections) || command.words.empty()) return std::nullopt;
  const std::string& name = command.words[0];
  constexpr std::string_view kUnclear = "$=*?[]~!{} \t\n";
  if (name.empty() || name.find_first_of(kUnclear) != std::string::npos) return std::nullopt;
  return command.words;
}

bool was_not_found(const FailedRun& run, const std::vector<std::string_view>& said) {
  if (run.code != 127) return false;
  const auto words = single_command(run.script);
  const std::optional<Complaint> complaint = complaint_in(said[0]);
  if (!words || !complaint) return false;
  const std::string& name = words->front();
  const bool is_path = name.find('/') != std::string::npos;
  return complaint->text == name + (is_path ? ": No such file or directory" : ": command not found");
}

// Programs that read all of their options first, and only read and print afterwards. Not those that write, delete, or
// run others: what they refuse was perhaps meant to do more than once.
bool only_looks(std::string_view name) {
  constexpr std::array<std::string_view, 54> kNames{
      "awk",      "base32", "base64",  "basename",  "bat",   "cat",     "cksum",  "cmp",  "column",
      "comm",     "cut",    "date",    "df",        "diff",  "dirname", "du",     "echo", "egrep",
      "exa",      "expand", "fd",      "fgrep",     "file",  "find",    "fmt",    "fold", "free",
      "grep",     "head",   "hexdump", "id",        "join",  "jq",      "ls",     "lsof", "md5sum",
      "nl",       "nproc",  "numfmt",  "od",        "paste", "pgrep",   "printf", "ps",   "readlink",
      "realpath", "rg",     "seq",     "sha256sum", "sort",  "stat",    "tac",    "tail", "tree"};
  constexpr std::array<std::string_view, 8> kMore{"tr", "uname", "uniq", "wc", "which", "xxd", "yq", "zcat"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::find(kMore.begin(), kMore.end(), name) != kMore.end();
}

// sort -o, find -delete and the like, even though they would not be reached.
bool names_an_effect(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 11> kEffects{"-delete", "-exec",    "-execdir", "-ok",    "-okdir",  "-fprint",
                                                      "-fls",    "-fprintf", "--output", "--exec", "-fprint0"};
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(kEffects.begin(), kEffects.end(),
                       [&](std::string_view effect) { return word.starts_with(effect); });
  });
}

// What getopt, find, jq, clap and BusyBox say after "NAME: ".
bool is_refusal(std::string_view name, std::string_view said) {
  constexpr std::array<std::string_view, 14> kRefusals{"unrecognized option",
                                                       "invalid option",
                                                       "illegal option",
                                                       "unknown option",
                                                       "Unknown option",
                                                       "unrecognised option",
                                                       "unknown predicate",
                                                       "option requires an",
                                                       "missing argument to",
                                                       "ambiguous option",
                                                       "unexpected argument",
                                                       "Unknown arguments",
                                                       "option '",
                                                       "paths must precede expression"};
  if (name == "ps") return said.starts_with("error: unknown gnu long option") || said.starts_with("error: unsupported");
  if ((name == "rg" || name == "fd") && said.starts_with("error: unexpected argument")) return true;
  if (!said.starts_with(std::string(name) + ": ")) return false;
  said.remove_prefix(name.size() + 2);
  return std::any_of(kRefusals.begin(), kRefusals.end(),
                     [&](std::string_view beginning) { return said.starts_with(beginning); });
}

bool refused_its_options(const FailedRun& run, const std::vector<std::string_view>& said) {
  constexpr std::array<int64_t, 5> kCodes{1, 2, 64, 125, 129};
  if (std::find(kCodes.begin(), kCodes.end(), run.code) == kCodes.end()) return false;
  const auto words = single_command(run.script);
  if (!words) return false;
  const std::string name = words->front().substr(words->front().rfind('/') + 1);
  return only_looks(name) && !names_an_effect(*words) && is_refusal(name, said[0]);
}

}  // namespace

std::optional<Failure> repairable(const FailedRun& run) {
  if (run.code == 0 || run.script.size() > kMaxScript) return std::nullopt;
  const std::vector<std::string_view> said = base::split(run.output, '\n');
  if (said.empty()) return std::nullopt;
  if (was_not_read(run, said)) return Failure::kNotRead;
  if (was_not_found(run, said)) return Failure::kNotFound;
  if (refused_its_options(run, said)) return Failure::kOptionRefused;
  return std::nullopt;
}

}  // namespace bashcell::heal
