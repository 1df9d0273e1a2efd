#include "supervisor/cell_command.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "base/extended_regex.h"
#include "base/quantity.h"
#include "base/unique_fd.h"
#include "supervisor/asks.h"
#include "supervisor/cell_words.h"
#include "supervisor/clean_stream.h"
#include "supervisor/heal_command.h"
#include "supervisor/lock_command.h"
#include "supervisor/shelf_command.h"
#include "supervisor/write_command.h"

namespace bashcell::supervisor {

namespace {

constexpr int kNothing = kNotDone;

constexpr std::string_view kUsage =
    "usage: cell out                   the outputs that are kept\n"
    "       cell out [N]               output N, or the newest\n"
    "       cell out [N] --lines A-B   these lines of it\n"
    "       cell out [N] --grep RE     its lines that match, with their numbers\n"
    "       cell clean                 stdin as plain text, without escape sequences and redrawn lines\n"
    "       cell reset                 the next call starts with a clean shell\n"
    "       cell heal NAME             installs a command that is missing\n"
    "       cell lock FILE [--wait S] -- COMMAND    runs it while FILE is locked\n"
    "       cell write FILE            replaces FILE by stdin, at once for all readers\n"
    "       cell append FILE           adds stdin to FILE, at once for all readers\n"
    "       cell save NAME             keeps the last script, if it ended with 0, as the command NAME for later\n"
    "       cell save NAME FILE [ARGUMENT...]    runs FILE, and keeps it if it ends with 0\n"
    "       cell list, cell show NAME, cell rm NAME    what is kept\n";

int wrong_use(const std::string& why) { return fail(kWrongUse, why + "\n" + std::string(kUsage)); }

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

struct Range {
  int64_t first = 1;
  int64_t last = std::numeric_limits<int64_t>::max();
};

// "7", "7-9", "7-", "-9".
std::optional<Range> range_of(std::string_view text) {
  const size_t dash = text.find('-');
  Range range;
  const std::string_view first = text.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : text.substr(dash + 1);
  if (text == "-" || text.empty()) return std::nullopt;
  if (!first.empty()) {
    const auto number = number_of(first);
    if (!number) return std::nullopt;
    range.first = *number;
  }
  if (!last.empty()) {
    const auto number = number_of(last);
    if (!number) return std::nullopt;
    range.last = *number;
  }
  return range.last >= range.first ? std::optional(range) : std::nullopt;
}

struct Request {
  std::optional<int64_t> output;
  std::optional<Range> lines;
  std::optional<std::string> pattern;
  std::string problem;
};

Request read_request(const std::vector<std::string>& arguments) {
  Request request;
  for (size_t i = 1; i < arguments.size() && request.problem.empty(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--lines" || word == "--grep") {
      if (i + 1 == arguments.size()) {
        request.problem = word + (word == "--lines" ? " needs A-B" : " needs a regular expression");
      } else if (word == "--grep") {
        request.pattern = arguments[++i];
      } else if (const auto range = range_of(arguments[++i])) {
        request.lines = range;
      } else {
        request.problem = "--lines is " + arguments[i] + "; it must be A-B, two line numbers";
      }
    } else if (const auto number = number_of(word); number && !request.output) {
      request.output = number;
    } else {
      request.problem = "cannot read '" + word + "'";
    }
  }
  return request;
}

std::vector<int64_t> kept_outputs(const std::string& folder) {
  std::vector<int64_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), &::closedir);
  while (dir) {
    const dirent* entry = ::readdir(dir.get());  // NOLINT: a stream of our own
    if (entry == nullptr) break;
    if (const auto number = number_of(entry->d_name)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

int list(const std::string& folder) {
  const std::vector<int64_t> numbers = kept_outputs(folder);
  if (numbers.empty()) return fail(kNothing, "no output is kept: all of it was shown so far");
  std::string text;
  for (const int64_t number : numbers) {
    struct stat info {};
    const std::string path = folder + "/" + std::to_string(number);
    if (::stat(path.c_str(), &info) == 0) text += std::to_string(number) + "  " + base::size_text(info.st_size) + "\n";
  }
  return base::write_all(1, text) ? 0 : kNothing;
}

// Calls `on_line(line, number)` for each line, until it says false. A line over 1 MB comes in parts, as lines of one
// number.
template <typename OnLine>
void each_line(int fd, OnLine on_line) {
  constexpr size_t kMostOfALine = size_t{1} << 20;
  std::vector<char> buffer(size_t{1} << 16);
  std::string rest;
  int64_t number = 1;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    std::string_view piece(buffer.data(), static_cast<size_t>(got));
    for (size_t newline = piece.find('\n'); newline != std::string_view::npos; newline = piece.find('\n')) {
      rest += piece.substr(0, newline);
      if (!on_line(rest, number++)) return;
      rest.clear();
      piece.remove_prefix(newline + 1);
    }
    rest += piece;
    if (rest.size() <= kMostOfALine) continue;
    if (!on_line(rest, number)) return;
    rest.clear();
  }
  if (!rest.empty()) on_line(rest, number);
}

// Collects what is printed into large writes.
class Printer {
 public:
  ~Printer() { flush(); }
  bool line(std::string_view text) {
    pending_ += text;
    pending_ += '\n';
    any_ = true;
    if (pending_.size() > size_t{1} << 16) flush();
    return good_;
  }
  bool any() const { return any_; }

 private:
  void flush() {
    good_ = good_ && base::write_all(1, pending_).ok();
    pending_.clear();
  }

  std::string pending_;
  bool good_ = true;
  bool any_ = false;
};

int print_matching(int fd, const std::string& pattern, const std::optional<Range>& range) {
  const auto regex = base::ExtendedRegex::compile(pattern);
  if (!regex) return fail(kWrongUse, "--grep is no regular expression: " + regex.error().message);
  Printer printer;
  each_line(fd, [&](const std::string& line, int64_t number) {
    if (range && number > range->last) return false;
    if (range && number < range->first) return true;
    if (!regex->found_in(line)) return true;
    return printer.line(std::to_string(number) + ":" + line);
  });
  return printer.any() ? 0 : fail(kNothing, "no line matches " + pattern);
}

int print_lines(int fd, const Range& range) {
  Printer printer;
  int64_t last = 0;
  each_line(fd, [&](const std::string& line, int64_t number) {
    last = number;
    if (number > range.last) return false;
    return number < range.first || printer.line(line);
  });
  return printer.any() ? 0 : fail(kNothing, "it has " + base::counted(last, "line") + " only");
}

int print_all(int fd) {
  std::vector<char> buffer(size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? 0 : kNothing;
    if (!base::write_all(1, {buffer.data(), static_cast<size_t>(got)})) return kNothing;
  }
}

int show(const Request& request, const std::string& folder) {
  const std::vector<int64_t> kept = kept_outputs(folder);
  if (kept.empty()) return fail(kNothing, "no output is kept: all of it was shown so far");
  const int64_t number = request.output.value_or(kept.back());
  const base::UniqueFd file(::open((folder + "/" + std::to_string(number)).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) {
    return fail(kNothing, "output " + std::to_string(number) + " is not kept; there are " +
                              std::to_string(kept.front()) + " to " + std::to_string(kept.back()));
  }
  if (request.pattern) return print_matching(file.get(), *request.pattern, request.lines);
  return request.lines ? print_lines(file.get(), *request.lines) : print_all(file.get());
}

int reset(const std::vector<std::string>& arguments, const std::string& run_folder) {
  if (arguments.size() > 1) return wrong_use("reset takes no argument");
  const base::Result<wire::Answer> answer = ask(ask_socket(run_folder), {std::string(kResetVerb)});
  if (!answer) return fail(kNothing, answer.error().message);
  static_cast<void>(base::write_all(
      1,
      "The next call starts with a clean shell, in /workspace: variables, functions, aliases and options "
      "are dropped, also those of this call and of others that run now. Background jobs and files (/tmp "
      "too) stay.\n"));
  return 0;
}

}  // namespace

int cell_command(const std::vector<std::string>& arguments, const CellPlaces& places) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "help") {
    static_cast<void>(base::write_all(arguments.empty() ? 2 : 1, kUsage));
    return arguments.empty() ? kWrongUse : 0;
  }
  if (arguments[0] == "clean") {
    if (arguments.size() > 1) return wrong_use("clean takes no argument: it reads stdin");
    return clean_stream(0, 1) == CleanEnd::kFailed ? fail(kNothing, base::errno_error("cannot clean").message) : 0;
  }
  if (arguments[0] == kResetVerb) return reset(arguments, places.run_folder);
  if (arguments[0] == "heal") return heal_command({arguments.begin() + 1, arguments.end()}, places.run_folder);
  if (arguments[0] == "lock") return lock_command({arguments.begin() + 1, arguments.end()});
  if (arguments[0] == "write") return write_command(WriteMode::kReplace, {arguments.begin() + 1, arguments.end()});
  if (arguments[0] == "append") return write_command(WriteMode::kAppend, {arguments.begin() + 1, arguments.end()});
  if (is_shelf_verb(arguments[0])) return shelf_command(arguments, places.run_folder);
  if (arguments[0] != "out") return wrong_use("there is no command '" + arguments[0] + "'");
  const Request request = read_request(arguments);
  if (!request.problem.empty()) return wrong_use(request.problem);
  if (arguments.size() == 1) return list(places.outputs);
  return show(request, places.outputs);
}

}  // namespace bashcell::supervisor
