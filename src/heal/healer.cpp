#include "heal/healer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heal/remedy.h"

namespace bashcell::heal {

namespace {

constexpr base::Duration kLeastPatience{5'000};
// What failed is not tried again at once: a script in a loop asks for it every time.
constexpr base::Duration kFailureHolds{60'000};
constexpr size_t kMostClauses = 3;

std::string told(const Installed& installed) {
  std::string clause = "installed " + installed.package;
  if (!installed.version.empty()) clause += " " + installed.version;
  return fmt::format("{} ({:.1f} s)", clause, static_cast<double>(installed.took.count()) / 1000);
}

std::string not_installed(const Need& need, const base::Error& why) {
  return need.name + " was not installed: " + why.message;
}

void add_once(std::vector<std::string>& clauses, std::string clause) {
  const bool is_new = std::find(clauses.begin(), clauses.end(), clause) == clauses.end();
  if (is_new && clauses.size() < kMostClauses) clauses.push_back(std::move(clause));
}

}  // namespace

// Whoever comes first, the install or the end of patience, calls back.
struct Healer::Waiter {
  std::function<void(base::Result<Installed>)> on_done;
  base::EventLoop::TimerId timer = 0;
};

Healer::Healer(base::EventLoop& loop, const PackageTable& table, Policy policy, Install install)
    : loop_(loop), table_(table), policy_(std::move(policy)), install_(std::move(install)) {}

Healer::~Healer() {
  for (const base::EventLoop::TimerId timer : timers_) loop_.cancel(timer);
}

void Healer::begin(CallId call) { calls_[call].begun = base::now(); }

base::Instant Healer::patience(CallId call) const {
  const auto found = calls_.find(call);
  const base::Instant begun = found == calls_.end() ? base::now() : found->second.begun;
  return std::max(begun + kClientsWait, base::now() + kLeastPatience);
}

// Why it is not even tried; empty when it is.
std::string Healer::refusal(const Need& need) const {
  if (!policy_.install) return "installing is off (--install off)";
  const bool allowed = policy_.allow.empty() || policy_.allow.contains(need.name);
  if (!allowed || policy_.deny.contains(need.name))
    return need.name + " may not be installed here (--install-allow, --install-deny)";
  return {};
}

void Healer::get(const Need& need, base::Instant until, std::function<void(base::Result<Installed>)> on_done) {
  if (std::string why = refusal(need); !why.empty()) return on_done(base::Error{std::move(why)});
  const auto failed = failed_.find(need);
  if (failed != failed_.end() && base::now() - failed->second.first < kFailureHolds) {
    return on_done(base::Error{failed->second.second});
  }
  auto waiter = std::make_shared<Waiter>(Waiter{std::move(on_done)});
  const auto call_back = [this](Waiter& one, base::Result<Installed> result) {
    if (!one.on_done) return;
    loop_.cancel(one.timer);
    timers_.erase(one.timer);
    std::exchange(one.on_done, nullptr)(std::move(result));
  };
  waiter->timer = loop_.after(base::until(until), [waiter, call_back, name = need.name] {
    call_back(*waiter, base::Error{"still installing " + name + "; run it again"});
  });
  timers_.insert(waiter->timer);
  install_(need, [this, need, waiter, call_back, alive = std::weak_ptr<int>(alive_)](base::Result<Installed> result) {
    if (alive.expired()) return;
    if (result) {
      failed_.erase(need);
    } else {
      failed_[need] = {base::now(), result.error().message};
    }
    call_back(*waiter, std::move(result));
  });
}

// As far as it is known before: a package of the index has its command's name, as far as anybody can tell.
std::string Healer::package_for(const Need& need) const {
  if (need.kind == Need::Kind::kPythonModule) return table_.distribution_of_module(need.name).value_or(need.name);
  const std::optional<Package> package = table_.of_command(need.name);
  return package ? package->name : need.name;
}

// As get(), and known to installing() meanwhile.
void Healer::get_for(CallId call, const Need& need, std::function<void(base::Result<Installed>)> on_done) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return get(need, patience(call), std::move(on_done));
  const base::Instant since = base::now();
  found->second.waits_for.push_back({package_for(need), since});
  get(need, patience(call), [this, call, since, on_done = std::move(on_done)](base::Result<Installed> result) {
    if (const auto waiting = calls_.find(call); waiting != calls_.end()) {
      auto& list = waiting->second.waits_for;
      const auto over =
          std::find_if(list.begin(), list.end(), [&](const Installing& one) { return one.since == since; });
      if (over != list.end()) list.erase(over);
    }
    on_done(std::move(result));
  });
}

std::vector<std::string> Healer::installed(CallId call) const {
  const auto found = calls_.find(call);
  return found == calls_.end() ? std::vector<std::string>() : found->second.packages;
}

std::optional<Healer::Installing> Healer::installing(CallId call) const {
  const auto found = calls_.find(call);
  if (found == calls_.end() || found->second.waits_for.empty()) return std::nullopt;
  return found->second.waits_for.front();
}

void Healer::answer(sandbox::Question question, sandbox::Respond respond) {
  if (question.verb != "heal" || question.arguments.size() != 1) return respond(false, "there is no such question");
  const Need need{Need::Kind::kCommand, question.arguments[0]};
  if (!is_command_name(need.name)) return respond(false, "that is no name of a command");
  get_for(question.call, need,
          [this, need, call = question.call, respond = std::move(respond)](base::Result<Installed> result) {
            const auto found = calls_.find(call);
            if (!result) {
              // A name that no package has is told by the sentence that the script prints.
              if (found != calls_.end() && policy_.install && table_.of_command(need.name)) {
                add_once(found->second.problems, not_installed(need, result.error()));
              }
              return respond(false, not_installed(need, result.error()));
            }
            if (found != calls_.end() && result->took > base::Duration::zero()) {
              add_once(found->second.installed, told(*result));
              add_once(found->second.packages, result->package);
            }
            respond(true, told(*result));
          });
}

void Healer::finish(CallId call, const Ended& ended, std::function<void(std::vector<std::string>)> on_told) {
  const auto found = calls_.find(call);
  const auto* done = std::get_if<wire::Done>(&ended.report.result);
  if (found == calls_.end() || done == nullptr || done->outcome != wire::Outcome::kExited) {
    return tell(call, {}, on_told);
  }
  Remedy remedy = remedy_for({.script = ended.script,
                              .exit_code = static_cast<int>(done->code),
                              .output = done->output,
                              .uid = static_cast<int>(ended.spec.user.uid),
                              .has_network = !ended.spec.network.empty()},
                             table_);
  if (!found->second.problems.empty()) remedy.hint.clear();
  if (!policy_.install) remedy.install.clear();
  install_rest(call, std::move(remedy.install), std::move(remedy.hint), std::move(on_told));
}

// One after the other.
void Healer::install_rest(CallId call, std::vector<Need> needs, std::string hint,
                          std::function<void(std::vector<std::string>)> on_told) {
  if (needs.empty()) return tell(call, std::move(hint), on_told);
  const Need need = needs.front();
  needs.erase(needs.begin());
  get_for(call, need,
          [this, call, need, needs = std::move(needs), hint = std::move(hint),
           on_told = std::move(on_told)](base::Result<Installed> result) mutable {
            if (const auto found = calls_.find(call); found != calls_.end()) {
              if (result) {
                hint.clear();
                add_once(found->second.installed, told(*result) + ", after it was missed: run it again");
                add_once(found->second.packages, result->package);
              } else {
                add_once(found->second.problems, not_installed(need, result.error()));
              }
            }
            install_rest(call, std::move(needs), std::move(hint), std::move(on_told));
          });
}

void Healer::tell(CallId call, std::string hint, const std::function<void(std::vector<std::string>)>& on_told) {
  std::vector<std::string> clauses;
  if (const auto found = calls_.find(call); found != calls_.end()) {
    clauses = std::move(found->second.installed);
    for (std::string& problem : found->second.problems) clauses.push_back(std::move(problem));
  }
  if (!hint.empty()) clauses.push_back(std::move(hint));
  on_told(std::move(clauses));
  calls_.erase(call);
}

}  // namespace bashcell::heal
