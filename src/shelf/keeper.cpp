#include "shelf/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "base/file.h"
#include "base/quantity.h"
#include "base/utf8.h"
#include "wire/shelf_name.h"

namespace bashcell::shelf {

namespace {

// Why it proves nothing; empty when it ended well.
std::string problem_of(const sandbox::CallReport& report) {
  const auto* done = std::get_if<wire::Done>(&report.result);
  if (done == nullptr) return "the last script did not end";
  switch (done->outcome) {
    case wire::Outcome::kExited:
      return done->code == 0 ? std::string() : fmt::format("the last script ended with exit code {}", done->code);
    case wire::Outcome::kSignaled:
      return fmt::format("the last script died of signal {}", done->code);
    case wire::Outcome::kTimedOut:
      return "the last script timed out";
    case wire::Outcome::kCancelled:
      return "the last script was cancelled";
    case wire::Outcome::kNotStarted:
    case wire::Outcome::kLost:
      break;
  }
  return "the last script did not end";
}

constexpr std::string_view kOnlyProven = "; only one that ended with 0 can be saved";

std::optional<int64_t> count_of(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

Keeper::Keeper(base::EventLoop& loop, const sandbox::Sandbox& sandbox, KeeperOptions options)
    : loop_(loop), sandbox_(sandbox), options_(std::move(options)) {}

Keeper::~Keeper() {
  for (const base::EventLoop::TimerId timer : timers_) loop_.cancel(timer);
}

void Keeper::begin(CallId call) { calls_[call].before = last_; }

void Keeper::ended(CallId call, const std::string& script, const sandbox::CallReport& report) {
  const auto found = calls_.find(call);
  const bool is_about_the_shelf =
      base::trimmed(script).starts_with("cell ") || (found != calls_.end() && found->second.asked);
  if (found != calls_.end()) calls_.erase(found);
  if (is_about_the_shelf || std::holds_alternative<sandbox::NotRun>(report.result)) return;
  Finished finished{.script = {}, .problem = problem_of(report), .wall_ms = 0};
  if (!finished.problem.empty()) {
    finished.problem += kOnlyProven;
  } else if (script.size() > wire::kMaxShelfScript) {
    finished.problem = "it " + wire::over_shelf_size();
  } else {
    finished.script = script;
    finished.wall_ms = std::get<wire::Done>(report.result).wall_ms;
  }
  last_ = std::make_shared<const Finished>(std::move(finished));
}

void Keeper::answer(sandbox::Question question, sandbox::Respond respond) {
  if (const auto call = calls_.find(question.call); call != calls_.end()) call->second.asked = true;
  if (!options_.place) return respond(false, options_.place.error().message);
  if (question.verb == "save") return save(std::move(question), std::move(respond));
  if (question.verb == "rm" && question.arguments.size() == 1) {
    return make(std::make_shared<Change>(Change{{}, question.arguments[0], std::move(respond)}));
  }
  if (question.verb != "shelf") return respond(false, "there is no such question");
  // A cell has found none where it should be.
  if (const base::Result<Store> store = Store::open(*options_.place); !store) {
    return respond(false, "there is no shelf: " + store.error().message);
  }
  respond(false, "there is no shelf in this cell: its engine does not see the files of bashcell's machine");
}

void Keeper::save(sandbox::Question question, sandbox::Respond respond) {
  if (question.arguments.empty()) return respond(false, "there is no such question");
  const std::string name = question.arguments[0];
  if (const std::optional<std::string> problem = wire::shelf_name_problem(name)) return respond(false, *problem);
  if (options_.is_command && options_.is_command(name)) return respond(false, wire::hides_a_command(name));
  base::Result<wire::ShelfEntry> entry =
      question.arguments.size() == 1 ? from_last(question.call) : from_file(std::move(question));
  if (!entry) return respond(false, "not saved: " + entry.error().message);
  entry->name = name;
  entry->provenance.saved_at = std::time(nullptr);
  entry->provenance.cell = sandbox_.cell_name();
  make(std::make_shared<Change>(Change{std::move(*entry), name, std::move(respond)}));
}

base::Result<wire::ShelfEntry> Keeper::from_last(CallId call) const {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return base::Error{"whoever asks belongs to no call that still runs"};
  if (!found->second.before) {
    return base::Error{"no script has ended before this one; give it a file: cell save NAME FILE [ARGUMENT...]"};
  }
  const Finished& last = *found->second.before;
  if (!last.problem.empty()) return base::Error{last.problem};
  wire::ShelfEntry entry;
  // A script is sourced by a bash; as a command it needs to say what runs it.
  const wire::CellFacts* facts = sandbox_.facts();
  entry.script = wire::as_shelf_script(last.script, facts == nullptr || facts->shell == wire::kPlainBash);
  entry.provenance.wall_ms = last.wall_ms;
  if (entry.script.size() > wire::kMaxShelfScript) return base::Error{"it " + wire::over_shelf_size()};
  return entry;
}

// NAME WALL_MS FILE ARGUMENT..., and in the body what was run.
base::Result<wire::ShelfEntry> Keeper::from_file(sandbox::Question question) const {
  const std::optional<int64_t> wall_ms = count_of(question.arguments[1]);
  const bool is_script = question.body.starts_with("#!") && question.body.find('\0') == std::string::npos;
  if (question.arguments.size() < 3 || question.arguments[2].empty() || !wall_ms || !is_script) {
    return base::Error{"there is no such question"};
  }
  if (question.body.size() > wire::kMaxShelfScript) return base::Error{"it " + wire::over_shelf_size()};
  wire::ShelfEntry entry;
  entry.script = std::move(question.body);
  entry.provenance.wall_ms = *wall_ms;
  entry.provenance.file = std::move(question.arguments[2]);
  entry.provenance.arguments.assign(question.arguments.begin() + 3, question.arguments.end());
  return entry;
}

void Keeper::make(std::shared_ptr<Change> change) {
  const base::Result<Store> store = Store::open(*options_.place);
  if (!store) return change->respond(false, "there is no shelf: " + store.error().message);
  const base::LockAttempt lock = store->try_lock();
  if (const auto* error = std::get_if<base::Error>(&lock)) return change->respond(false, error->message);
  if (std::holds_alternative<base::LockBusy>(lock)) return again(std::move(change));
  const auto& locked = std::get<base::FileLock>(lock);
  const base::Result<void> made =
      change->entry ? store->put(locked, std::move(*change->entry)) : store->remove(locked, change->name);
  if (!made) return change->respond(false, made.error().message);
  change->respond(true, change->entry ? "saved " + change->name + ": call it by its name, in later conversations, too"
                                      : "removed " + change->name);
}

void Keeper::again(std::shared_ptr<Change> change) {
  if (base::now() >= change->latest) {
    return change->respond(false, "another bashcell is writing to the shelf; try again");
  }
  const auto timer = std::make_shared<base::EventLoop::TimerId>();
  *timer = loop_.after(base::kLockPoll, [this, change = std::move(change), timer] {
    timers_.erase(*timer);
    make(change);
  });
  timers_.insert(*timer);
}

}  // namespace bashcell::shelf
