#include "engine/auto_engine.h"

#include <fmt/format.h>

#include <utility>

namespace bashcell::engine {

Engine& AutoEngine::engine(size_t option) {
  while (engines_.size() <= option) engines_.push_back(options_[engines_.size()].make());
  return *engines_[option];
}

std::string_view AutoEngine::name() const {
  const bool known = (decided_ || on_trial_) && current_ < engines_.size();
  return known ? engines_[current_]->name() : "auto";
}

base::Result<std::unique_ptr<Cell>> AutoEngine::start(const CellSpec& spec) {
  // A new cell is wanted, and the last one was not refused: it has been used.
  decided_ = decided_ || std::exchange(on_trial_, false);
  for (; current_ < options_.size(); ++current_) {
    Engine& candidate = engine(current_);
    CellSpec wanted = spec;
    wanted.limits = options_[current_].limits.value_or(spec.limits);
    const bool other_root = spec.toolbox_of_image != options_[current_].images;
    if (other_root && spec.installer) {
      failures_.push_back({current_, "tools are not installed for its kind of root"});
      continue;
    }
    if (other_root) wanted.toolbox.clear();
    base::Result<std::unique_ptr<Cell>> cell = candidate.start(wanted);
    if (decided_ || (!cell && candidate.preparing())) return cell;
    on_trial_ = cell.ok();
    if (cell) return cell;
    failures_.push_back({current_, cell.error().message});
  }
  return all_failed(spec);
}

bool AutoEngine::preparing() const { return current_ < engines_.size() && engines_[current_]->preparing(); }

bool AutoEngine::refused(const std::string& why) {
  if (!std::exchange(on_trial_, false)) return false;
  failures_.push_back({current_++, why});
  return true;  // also after the last one: the next start then says what was tried
}

base::Error AutoEngine::all_failed(const CellSpec& spec) {
  std::string fix;
  for (const Finding& finding : examine(spec)) {
    if (fix.empty() && !finding.ok) fix = finding.fix;
  }
  std::string tried;
  for (const Failure& failure : failures_) {
    std::string why = failure.why;
    if (!fix.empty() && why.ends_with("; " + fix)) why.resize(why.size() - fix.size() - 2);
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", options_[failure.option].name, why);
  }
  failures_.clear();
  current_ = 0;
  return base::Error{
      fmt::format("no engine works here ({}){}", tried, fix.empty() ? std::string() : "; to fix it: " + fix)};
}

std::vector<Finding> AutoEngine::examine(const CellSpec& spec) {
  std::vector<Finding> all;
  for (size_t option = 0; option < options_.size(); ++option) {
    for (Finding& finding : engine(option).examine(spec)) all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace bashcell::engine
