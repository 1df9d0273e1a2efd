#include "heal/installer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heal/install_facts.h"

namespace bashcell::heal {

namespace {

constexpr base::Duration kLook{50};
constexpr base::Duration kShortest{1'000};

base::Duration since(base::Instant begun) { return std::chrono::duration_cast<base::Duration>(base::now() - begun); }

// A cell has made it: not if it is a link, nor anything else that is no file.
base::Result<std::string> read_facts(const std::string& staging) {
  const base::UniqueFd out(::open((staging + "/out").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const base::UniqueFd fd(out.valid() ? ::openat(out.get(), "facts", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                                      : -1);
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return base::Error{"the installer left no word of what it did"};
  }
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() < kMaxFacts) {
    const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

base::Error late(base::Duration limit) {
  return base::Error{fmt::format("it was not installed within {}", base::seconds_text(limit))};
}

}  // namespace

Installer::Installer(base::EventLoop& loop, engine::Engine& engine, const PackageTable& table, InstallerOptions options)
    : loop_(loop), engine_(engine), table_(table), options_(std::move(options)) {}

Installer::~Installer() {
  loop_.cancel(step_);
  loop_.cancel(deadline_);
  sandbox_.reset();
  if (!staging_.empty()) options_.toolbox.end_staging(staging_);
}

void Installer::install(const Need& need, OnDone on_done) {
  const auto same = std::find_if(queue_.begin(), queue_.end(), [&](const Work& work) { return work.need == need; });
  if (same != queue_.end()) return same->waiters.push_back(std::move(on_done));
  base::Result<InstallPlan> plan = plan_install(need, table_, options_.toolbox);
  if (!plan) return on_done(plan.error());
  if (is_there(*plan)) return on_done(Installed{.package = plan->package, .version = {}});
  queue_.push_back({need, std::move(*plan), {}});
  queue_.back().waiters.push_back(std::move(on_done));
  if (!busy_) begin();
}

bool Installer::wait_for_start(base::Duration limit) { return !sandbox_ || sandbox_->wait_for_start(limit); }

bool Installer::is_there(const InstallPlan& plan) const {
  return plan.kind == InstallPlan::Kind::kPython ? options_.toolbox.has_distribution(plan.package)
                                                 : options_.toolbox.has_command(plan.command);
}

void Installer::begin() {
  busy_ = true;
  begun_ = base::now();
  deadline_ = loop_.after(options_.limit, [this] { on_late(); });
  look_for_lock();
}

// Another server at work may be installing the very same.
void Installer::look_for_lock() {
  if (is_there(queue_.front().plan)) return finish(Installed{.package = queue_.front().plan.package, .version = {}});
  base::LockAttempt lock = options_.toolbox.try_lock();
  if (const auto* error = std::get_if<base::Error>(&lock)) return finish(*error);
  if (std::holds_alternative<base::LockBusy>(lock) || sandbox_retires_) {
    if (sandbox_retires_) retire();
    step_ = loop_.after(kLook, [this] { look_for_lock(); });
    return;
  }
  lock_ = std::move(std::get<base::FileLock>(lock));
  run_cell();
}

base::Result<engine::CellSpec> Installer::spec_in(const std::string& staging) const {
  base::Result<engine::CellSpec> spec = options_.make_spec();
  if (!spec) return spec;
  spec->workspace = staging;
  spec->workspace_volume.clear();
  spec->protection = {};
  spec->toolbox.clear();
  spec->shelf.clear();
  spec->network.clear();
  spec->installer = true;
  spec->user = options_.toolbox.user();
  return spec;
}

void Installer::run_cell() {
  const InstallPlan& plan = queue_.front().plan;
  base::Result<std::string> script = install_script(plan, options_.toolbox.max_bytes(), options_.pip_index);
  if (!script) return finish(script.error());
  base::Result<std::string> staging = options_.toolbox.make_staging();
  if (!staging) return finish(staging.error());
  staging_ = std::move(*staging);
  options_.log.info("installing " + plan.package);
  sandbox::SandboxOptions options;
  options.parallel = 1;
  options.log = options_.log;
  sandbox_ = std::make_unique<sandbox::Sandbox>(
      loop_, engine_, [this, staging = staging_] { return spec_in(staging); }, options);
  sandbox::CallRequest request;
  request.script = std::move(*script);
  request.timeout = std::max(kShortest, options_.limit - since(begun_));
  sandbox_->run(std::move(request), [this, run = ++run_](sandbox::CallReport report) {
    // Of a cell that came up after nobody waited for it any more.
    if (run != run_) {
      if (!busy_) step_ = loop_.after(base::Duration::zero(), [this] { retire(); });
      return;
    }
    // Not now: the cell's owner is calling.
    step_ = loop_.after(base::Duration::zero(),
                        [this, report = std::move(report)]() mutable { on_report(std::move(report)); });
  });
}

void Installer::on_report(sandbox::CallReport report) {
  retire();  // first, so that nothing of the cell's runs any more when its work is looked at
  finish(take(report));
}

base::Result<Installed> Installer::take(const sandbox::CallReport& report) const {
  if (const auto* not_run = std::get_if<sandbox::NotRun>(&report.result)) {
    return base::Error{"the installer's cell did not start: " + not_run->why};
  }
  if (const auto* lost = std::get_if<sandbox::CellLost>(&report.result)) {
    return base::Error{"the installer's cell has ended: " + lost->why};
  }
  const auto& done = std::get<wire::Done>(report.result);
  if (done.outcome == wire::Outcome::kTimedOut) return late(options_.limit);
  const base::Result<std::string> text = read_facts(staging_);
  if (!text) return text.error();
  const base::Result<InstallFacts> facts = parse_facts(*text);
  if (!facts) return done.memory_limit_hit ? base::Error{"the installer's cell has too little memory"} : facts.error();
  const InstallPlan& plan = queue_.front().plan;
  const bool python = plan.kind == InstallPlan::Kind::kPython;
  const Arrival arrival{.place = plan.place(),
                        .command = python ? std::string() : plan.command,
                        .python = python ? facts->python : std::string()};
  if (base::Result<void> taken = options_.toolbox.accept(staging_, arrival, table_); !taken) return taken.error();
  return Installed{plan.package, facts->version, since(begun_)};
}

void Installer::on_late() {
  retire();
  finish(late(options_.limit));
}

void Installer::finish(base::Result<Installed> result) {
  loop_.cancel(step_);
  loop_.cancel(deadline_);
  if (!staging_.empty()) options_.toolbox.end_staging(std::exchange(staging_, {}));
  lock_.reset();
  const Work work = std::move(queue_.front());
  queue_.erase(queue_.begin());
  busy_ = false;
  if (!result) options_.log.error(fmt::format("{} is not installed: {}", work.plan.package, result.error().message));
  // A waiter may ask for more.
  if (!queue_.empty()) begin();
  for (const OnDone& on_done : work.waiters) on_done(result);
}

// A start under way cannot be interrupted; its cell is dropped when it is there.
void Installer::retire() {
  ++run_;
  sandbox_retires_ = sandbox_ && !sandbox_->wait_for_start(base::Duration::zero());
  if (!sandbox_retires_) sandbox_.reset();
}

}  // namespace bashcell::heal
