#include "heal/remedy.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "heal/advice.h"
#include "heal/complaint.h"
#include "heal/miss.h"
#include "heal/nearest.h"
#include "heal/refused_install.h"
#include "heal/script_trust.h"

namespace bashcell::heal {

namespace {

constexpr size_t kMostOutput = 65536;
constexpr size_t kMostScript = 65536;
constexpr size_t kLongestLine = 400;
constexpr size_t kMostFindings = 24;  // lines for which the script is searched

std::string_view last_part(std::string_view text) {
  if (text.size() <= kMostOutput) return text;
  text.remove_prefix(text.size() - kMostOutput);
  const size_t end = text.find('\n');  // the rest of a line that began before
  return end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
}

bool is_known(const Need& need, const PackageTable& table) {
  return need.kind == Need::Kind::kCommand ? table.of_command(need.name).has_value()
                                           : table.distribution_of_module(need.name).has_value();
}

std::string hint_for(const Need& need, int uid) {
  if (need.kind == Need::Kind::kPythonModule) return hint_for_module(need.name);
  std::string hint = hint_for_command(need.name);
  return hint == kNoRoot ? no_root(uid) : hint;
}

// Reads the output from its end, since what is nearest to it is the cause, or next to it.
class Reading {
 public:
  Reading(const Facts& facts, const PackageTable& table)
      : facts_(facts),
        table_(table),
        script_(facts.script.substr(0, kMostScript)),
        output_(last_part(facts.output)),
        trust_(trust_of(script_)) {
    around_ = {.script = script_,
               .is_busybox = output_.find("BusyBox v") != std::string_view::npos,
               .has_network = facts.has_network,
               .uid = facts.uid};
    context_ = {.script = script_,
                .runs_programs = script_.find("subprocess") != std::string_view::npos ||
                                 output_.find("/subprocess.py\", line ") != std::string_view::npos};
    is_trusted_ = trust_.runs_programs && (facts.exit_code != 0 || trust_.hides_failures);
  }

  void read() {
    std::string_view rest = output_;
    for (size_t from_end = 0; !rest.empty() && findings_ < kMostFindings; ++from_end) {
      const size_t before = rest.rfind('\n');
      const size_t begin = before == std::string_view::npos ? 0 : before + 1;
      const std::string_view line = rest.substr(begin);
      if (!line.empty() && line.size() <= kLongestLine) take(line, from_end);
      rest = rest.substr(0, begin == 0 ? 0 : before);
    }
  }

  Remedy remedy() const {
    Remedy remedy;
    for (const Need& need : needs_) {
      if (remedy.install.size() < kMostInstalls && is_known(need, table_)) remedy.install.push_back(need);
    }
    // With an install the hint is for when that fails, so it is of what is to be installed.
    const std::vector<Need>& of = remedy.install.empty() ? needs_ : remedy.install;
    for (auto need = of.begin(); need != of.end() && remedy.hint.empty(); ++need) {
      remedy.hint = hint_for(*need, facts_.uid);
    }
    if (remedy.hint.empty() && remedy.install.empty()) remedy.hint = complaint_;
    if (remedy.hint == no_root(facts_.uid)) remedy.hint = hint_for_refused_install(script_, facts_.uid, table_);
    if (remedy.hint.size() > kLongestHint) remedy.hint.clear();
    return remedy;
  }

 private:
  void take(std::string_view line, size_t from_end) {
    if (const std::optional<Need> need = miss_in_line(line, context_)) {
      const bool is_new = std::find(needs_.begin(), needs_.end(), *need) == needs_.end();
      if (is_new && is_credible(*need) && !is_own_words(line)) needs_.push_back(*need);
      return;
    }
    // A script that went well after all may have met and handled it.
    constexpr size_t kLastLines = 5;
    if (!complaint_.empty() || (facts_.exit_code == 0 && from_end >= kLastLines)) return;
    if (!is_trusted_ && (facts_.exit_code == 0 || !speaks_itself(line))) return;
    std::string hint = hint_for_line(line, around_);
    if (!hint.empty() && !is_own_words(line)) complaint_ = std::move(hint);
  }

  bool is_credible(const Need& need) const {
    if (is_trusted_ || trust_.has_command(need.name)) return true;
    return need.kind == Need::Kind::kCommand && trust_.starts_shells;
  }

  // The line begins with the name of a command of the script, or with the shell's.
  bool speaks_itself(std::string_view line) const {
    const std::string_view program = line.substr(0, line.find(": "));
    if (program == "fatal") return trust_.has_command("git");
    return program == "bash" || trust_.has_command(program);
  }

  // The script has the line in its text, so it prints it itself.
  bool is_own_words(std::string_view line) {
    ++findings_;
    return script_.find(line) != std::string_view::npos;
  }

  const Facts& facts_;
  const PackageTable& table_;
  std::string_view script_;
  std::string_view output_;
  ScriptTrust trust_;
  Surroundings around_;
  LineContext context_;
  bool is_trusted_ = false;  // what any line says; else only what is said of the script's own commands
  std::vector<Need> needs_;  // the last one first
  std::string complaint_;
  size_t findings_ = 0;
};

}  // namespace

Remedy remedy_for(const Facts& facts, const PackageTable& table) {
  Reading reading(facts, table);
  reading.read();
  return reading.remedy();
}

}  // namespace bashcell::heal
