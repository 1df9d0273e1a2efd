#include "heal/miss.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heal/package_table.h"

namespace bashcell::heal {

namespace {

using Segments = std::vector<std::string_view>;

constexpr size_t kMostSegments = 8;
constexpr std::string_view kNoFile = ": No such file or directory";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

template <size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& set) {
  return std::find(set.begin(), set.end(), text) != set.end();
}

// "a: b: c" -> a, b, c. Of longer ones the last few.
Segments segments_of(std::string_view line) {
  Segments parts;
  while (parts.size() < kMostSegments) {
    const size_t at = line.rfind(": ");
    if (at == std::string_view::npos) break;
    parts.insert(parts.begin(), line.substr(at + 2));
    line = line.substr(0, at);
  }
  parts.insert(parts.begin(), line);
  return parts;
}

// Of "/usr/bin/env" and "make[1]": env, make.
std::string_view program_of(std::string_view segment) {
  segment = segment.substr(segment.rfind('/') + 1);
  const size_t bracket = segment.find('[');
  return segment.substr(0, bracket);
}

// 'rg', `rg', "rg", ‘rg’ -> rg
std::string_view without_quotes(std::string_view text) {
  for (const std::string_view open : {"'", "`", "\"", "\xE2\x80\x98"}) {
    if (!take_prefix(text, open)) continue;
    for (const std::string_view close : {"'", "\"", "\xE2\x80\x99"}) {
      if (take_suffix(text, close)) return text;
    }
    return {};
  }
  return text;
}

std::optional<Need> command(std::string_view name) {
  if (!is_command_name(name)) return std::nullopt;
  return Need{Need::Kind::kCommand, std::string(name)};
}

std::optional<Need> module(std::string_view dotted) {
  // A part of a package that is there: no other package brings it.
  if (!is_module_name(dotted)) return std::nullopt;
  return Need{Need::Kind::kPythonModule, std::string(dotted)};
}

// sh: 1: rg: not found / bash: line 1: rg: command not found / sh: rg: not found
std::optional<Need> shell_miss(std::string_view line) {
  constexpr std::array<std::string_view, 6> kShells{"sh", "ash", "dash", "bash", "-bash", "busybox"};
  constexpr std::array<std::string_view, 4> kOnlyAsked{"type", "hash", "command", "which"};
  // What the cell adds, since it could not install it.
  if (const size_t more = line.find(": command not found ("); more != std::string_view::npos) {
    line = line.substr(0, more + std::string_view(": command not found").size());
  }
  // zsh:1: command not found: rg
  if (line.starts_with("zsh:")) {
    const size_t at = line.find("command not found: ");
    return at == std::string_view::npos ? std::nullopt : command(line.substr(line.find(": ", at) + 2));
  }
  const bool is_sure = take_suffix(line, ": command not found") || take_suffix(line, ": Command not found");
  if (!is_sure && !take_suffix(line, ": not found")) return std::nullopt;
  Segments parts = segments_of(line);
  const std::string_view name = parts.back();
  parts.pop_back();
  if (parts.empty()) return is_sure ? command(name) : std::nullopt;
  if (is_one_of(parts.back(), kOnlyAsked)) return std::nullopt;
  if (parts.back() == "exec") parts.pop_back();
  if (parts.empty()) return std::nullopt;
  // What stands before a line's number is a shell or a file, and no quotation.
  const bool is_line = (is_number(parts.back()) || parts.back().starts_with("line ")) &&
                       parts.front().find(' ') == std::string_view::npos;
  const bool is_shell = parts.size() == 1 && is_one_of(program_of(parts.back()), kShells);
  const bool is_program = is_sure && parts.back().find(' ') == std::string_view::npos;
  return is_line || is_shell || is_program ? command(name) : std::nullopt;
}

// `find` says the same of a folder and of a program.
bool runs_by_find(std::string_view script, std::string_view name) {
  constexpr size_t kRead = 4096;  // for each such line
  script = script.substr(0, kRead);
  for (const std::string_view option : {"-exec ", "-execdir ", "-ok ", "-okdir "}) {
    for (size_t at = script.find(option); at != std::string_view::npos; at = script.find(option, at + 1)) {
      const std::string_view rest = without_blanks(script.substr(at + option.size()));
      if (rest.starts_with(name) && rest.substr(name.size(), 1).find_first_not_of(" \t\n") == std::string_view::npos) {
        return true;
      }
    }
  }
  return false;
}

// env: 'rg': No such file or directory / timeout: failed to run command 'rg': ... / find: 'rg': ...
std::optional<Need> starter_miss(std::string_view line, std::string_view script) {
  constexpr std::array<std::string_view, 20> kStarters{
      "env",  "xargs",  "timeout", "nice",    "nohup",  "stdbuf",  "setsid", "find",    "make",    "gmake",
      "time", "chroot", "flock",   "taskset", "ionice", "unshare", "chrt",   "setarch", "numactl", "strace"};
  // tar (child): xz: Cannot exec: No such file or directory
  if (line.starts_with("tar (child): ") && line.ends_with(": Cannot exec: No such file or directory")) {
    return command(segments_of(line)[1]);
  }
  if (!take_suffix(line, kNoFile)) return std::nullopt;
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view program = program_of(line.substr(0, colon));
  if (!is_one_of(program, kStarters)) return std::nullopt;
  std::string_view rest = line.substr(colon + 2);
  for (const std::string_view words :
       {"failed to run command ", "failed to execute ", "can't execute ", "cannot run ", "cannot exec "}) {
    take_prefix(rest, words);
  }
  rest = without_quotes(rest);
  if (program == "find" && !runs_by_find(script, rest)) return std::nullopt;
  return command(rest);
}

// ModuleNotFoundError: No module named 'yaml' / python3: No module named yaml
std::optional<Need> python_module_miss(std::string_view line) {
  constexpr std::string_view kWords = "No module named ";
  const size_t at = line.find(kWords);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view before = without_blanks(line.substr(0, at));
  if (take_prefix(before, "E  ")) before = without_blanks(before);  // as pytest quotes it
  const bool is_error = before == "ModuleNotFoundError: " || before == "ImportError: ";
  const bool is_program = before.find("python") != std::string_view::npos &&
                          (before.ends_with(": ") || before.ends_with("(ModuleNotFoundError: "));
  if (!is_error && !is_program) return std::nullopt;
  std::string_view name = line.substr(at + kWords.size());
  if (take_suffix(name, ")") && is_error) return std::nullopt;
  return module(without_quotes(name));
}

struct Frame {
  std::string_view before;  // up to the name
  std::string_view after;   // from its end; empty: to the end of the line
};

std::string_view between(std::string_view line, const Frame& frame) {
  if (!take_prefix(line, frame.before)) return {};
  return frame.after.empty() ? line : line.substr(0, line.find(frame.after));
}

// Programs that start others, each in its own words at the begin of a line.
std::optional<Need> language_miss(std::string_view line, bool runs_programs) {
  constexpr std::string_view kPythonFile = "FileNotFoundError: [Errno 2] No such file or directory: '";
  if (line.starts_with(kPythonFile)) return runs_programs ? command(between(line, {kPythonFile, "'"})) : std::nullopt;
  constexpr std::array<Frame, 9> kFrames{
      {{"Error: spawn ", " ENOENT"},
       {"Error: spawnSync ", " ENOENT"},
       {"Error: Command failed with ENOENT: ", " "},
       {"Can't exec \"", "\": No such file or directory"},
       {"java.io.IOException: Cannot run program \"", "\""},
       {"exec: \"", "\": executable file not found in $PATH"},
       {"error: cannot run ", ": No such file or directory"},
       {"fatal: cannot run ", ": No such file or directory"},
       {"graphviz.backend.execute.ExecutableNotFound: failed to execute PosixPath('", "')"}}};
  for (const Frame& frame : kFrames) {
    const bool is_whole = line.find(frame.after) != std::string_view::npos;
    if (is_whole && line.starts_with(frame.before)) return command(between(line, frame));
  }
  // ruby: -e:1:in `spawn': No such file or directory - rg (Errno::ENOENT)
  constexpr std::string_view kRuby = ": No such file or directory - ";
  if (const size_t at = line.find(kRuby); at != std::string_view::npos && line.ends_with(" (Errno::ENOENT)")) {
    const std::string_view where = line.substr(0, at);
    const bool is_start = where.ends_with("`spawn'") || where.ends_with("``'") || where.ends_with("`system'") ||
                          where.ends_with("`exec'") || where.ends_with("`popen'") || where.ends_with("`capture2'");
    if (is_start) return command(between(line.substr(at), {kRuby, " "}));
  }
  return std::nullopt;
}

// Libraries that say in prose which program they need.
std::optional<Need> library_miss(std::string_view line) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kProse{
      {{"Is poppler installed and in PATH?", "pdfinfo"},
       {"tesseract is not installed or it's not in your PATH", "tesseract"},
       {"Couldn't find ffmpeg or avconv", "ffmpeg"},
       {"No such file or directory: 'ffprobe'", "ffprobe"},
       {"No pandoc was found", "pandoc"}}};
  for (const auto& [words, name] : kProse) {
    if (line.find(words) != std::string_view::npos) return command(name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Need> miss_in_line(std::string_view line, const LineContext& context) {
  std::optional<Need> need = shell_miss(line);
  if (!need) need = starter_miss(line, context.script);
  if (!need) need = python_module_miss(line);
  if (!need) need = language_miss(line, context.runs_programs);
  if (!need) need = library_miss(line);
  return need;
}

}  // namespace bashcell::heal
