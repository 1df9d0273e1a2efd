#include "supervisor/filter_stage.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "supervisor/job.h"
#include "supervisor/output/line_shape.h"
#include "supervisor/read_some.h"
#include "supervisor/tree.h"

namespace bashcell::supervisor {

namespace {

// A line of one word is a name in a list (LogException.php), and says nothing.
bool speaks_of_errors(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find(' ') != std::string_view::npos && shape_of(line).weight == Weight::kError) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

}  // namespace

bool wants_filter(const wire::Done& done, const wire::Run& run) {
  return !run.filter.empty() && done.outcome == wire::Outcome::kExited && done.left_out_bytes > 0 &&
         !done.spill.empty() && !done.spill_cut && done.total_bytes <= kMaxFilterBytes;
}

FilterStage::FilterStage(base::EventLoop& loop, Runner runner, wire::Done done, const wire::Run& run,
                         base::Duration limit, std::function<void(wire::Done)> on_done)
    : loop_(loop),
      runner_(std::move(runner)),
      done_(std::move(done)),
      on_done_(std::move(on_done)),
      id_(run.id),
      name_(run.filter_name),
      budget_(budget_of(run, meter_of(run)) - meter_of(run).cost(kStatusLine)),
      trimmer_(meter_of(run)) {
  loop_.watch(runner_.output.get(), POLLIN, [this](short) { on_output(); });
  loop_.watch(runner_.reports.get(), POLLIN, [this](short) { on_reports(); });
  timer_ = loop_.after(limit, [this] { conclude(false); });
}

FilterStage::~FilterStage() {
  loop_.cancel(timer_);
  for (const base::UniqueFd* fd : {&runner_.output, &runner_.reports}) loop_.unwatch(fd->get());
}

void FilterStage::on_output() {
  std::string clean;
  const ReadEnd end = read_some(runner_.output.get(), [&](std::string_view piece) {
    clean.clear();
    cleaner_.add(piece, clean);
    trimmer_.add(clean);
  });
  if (end == ReadEnd::kEnd) loop_.unwatch(runner_.output.get());
}

void FilterStage::on_reports() {
  FilterReport report;
  ssize_t count = 0;
  while ((count = ::read(runner_.reports.get(), &report, sizeof report)) == static_cast<ssize_t>(sizeof report)) {
    if (report.kind == FilterReport::kNotStarted) return conclude(false);
    if (report.kind == FilterReport::kCleanerEnded) cleaner_status_ = report.value;
    if (report.kind == FilterReport::kFilterEnded) filter_status_ = report.value;
  }
  if (count == 0) loop_.unwatch(runner_.reports.get());
  if (!cleaner_status_ || !filter_status_) return;
  quotes_ = WIFEXITED(*filter_status_) && WEXITSTATUS(*filter_status_) == kExitQuotes;
  // Without all of its input, a filter's text says nothing about the whole.
  conclude(*cleaner_status_ == 0 && (*filter_status_ == 0 || quotes_));
}

void FilterStage::give_up(bool cancelled) {
  if (concluded_) return;
  if (cancelled) done_.outcome = wire::Outcome::kCancelled;
  conclude(false);
}

void FilterStage::runner_gone() {
  if (!concluded_) on_reports();
  runner_.pid = -1;
  conclude(false);
  loop_.cancel(timer_);
}

void FilterStage::conclude(bool succeeded) {
  if (std::exchange(concluded_, true)) return;
  loop_.cancel(timer_);
  // What it has written before its end is in the pipe.
  if (succeeded) on_output();
  for (const base::UniqueFd* fd : {&runner_.output, &runner_.reports}) loop_.unwatch(fd->get());
  std::optional<wire::Done> better = succeeded ? filtered() : std::nullopt;
  on_done_(better ? std::move(*better) : std::move(done_));
  kill_round();
}

std::optional<wire::Done> FilterStage::filtered() {
  std::string clean;
  cleaner_.finish(clean);
  trimmer_.add(clean);
  Trimmed trimmed = std::move(trimmer_).finish(budget_, budget_);
  const bool says_something = trimmed.text.find_first_not_of(" \t\n") != std::string::npos;
  if (!says_something || trimmed.total_bytes >= done_.total_bytes) return std::nullopt;
  if (!quotes_ && speaks_of_errors(done_.output) && !speaks_of_errors(trimmed.text)) return std::nullopt;
  wire::Done done = std::move(done_);
  done.output = std::move(trimmed.text);
  done.filter = name_;
  done.filter_lines = trimmed.total_lines;
  done.left_out_lines = trimmed.left_out_lines;
  done.left_out_bytes = trimmed.left_out_bytes;
  return done;
}

// In rounds, until its runner has ended: one that was given up just after its start may have nothing below it yet.
void FilterStage::kill_round() {
  if (runner_.pid < 0) return;
  ::kill(runner_.pid, SIGCONT);  // a stopped runner would not reap
  kill_tree(runner_.pid);
  timer_ = loop_.after(kKillRound, [this] { kill_round(); });
}

}  // namespace bashcell::supervisor
