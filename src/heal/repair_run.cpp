#include "heal/repair_run.h"

#include <variant>

#include "http/shown.h"

namespace bashcell::heal {

std::optional<FailedRun> failed_run(const std::string& script, const sandbox::CallReport& report) {
  const auto* const done = std::get_if<wire::Done>(&report.result);
  if (done == nullptr || done->outcome != wire::Outcome::kExited || done->code == 0) return std::nullopt;
  const bool whole = done->left_out_lines == 0 && done->left_out_bytes == 0 && done->filter.empty();
  if (!whole || done->memory_limit_hit || done->process_limit_hit) return std::nullopt;
  return FailedRun{script, done->code, done->output};
}

std::string reading_script(const std::string& script) {
  std::string end = "END";
  while (("\n" + script + "\n").find("\n" + end + "\n") != std::string::npos) end += "_END";
  // By its path: no function or alias has such a name.
  return "\"$BASH\" -n /dev/stdin <<'" + end + "'\n" + script + (script.ends_with('\n') ? "" : "\n") + end + "\n";
}

std::pair<bool, std::string> reading_result(const sandbox::CallReport& report) {
  constexpr size_t kMaxShown = 300;
  const auto* const done = std::get_if<wire::Done>(&report.result);
  if (done == nullptr || done->outcome != wire::Outcome::kExited) return {false, "it could not be checked"};
  // A heredoc without its end is only a warning, with exit code 0.
  if (done->code == 0 && done->output.empty()) return {true, {}};
  return {false, http::shown(done->output, kMaxShown)};
}

}  // namespace bashcell::heal
