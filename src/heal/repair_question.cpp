#include "heal/repair_question.h"

#include "base/file.h"
#include "base/utf8.h"
#include "embedded/repair_texts.h"

namespace bashcell::heal {

namespace {

// The beginning of it, in valid UTF-8, between two marks. Each mark is a line of its own.
std::string marked(const std::string& what, std::string_view text, size_t max_bytes) {
  const std::string clean = base::replace_invalid_utf8(text.substr(0, max_bytes));
  std::string all = "<" + what + ">\n" + std::string(base::utf8_prefix(clean, max_bytes));
  if (all.back() != '\n') all += '\n';
  return all + "</" + what + ">\n";
}

}  // namespace

Question repair_question(const FailedRun& run, const std::string& hint, const std::vector<Refused>& refused) {
  constexpr size_t kMaxScript = size_t{16} << 10;  // as repairable() has it
  constexpr size_t kMaxOutput = 2000;
  constexpr size_t kMaxHint = 1000;
  constexpr size_t kMaxWhy = 500;
  Question question;
  question.instructions = base::trimmed(kRepairPrompt);
  question.text = marked("script", run.script, kMaxScript);
  question.text += marked("output", run.output, kMaxOutput);
  question.text += "Exit code: " + std::to_string(run.code) + "\n";
  if (!hint.empty()) question.text += marked("machine", hint, kMaxHint);
  for (const Refused& former : refused) {
    question.text += "An earlier answer did not do:\n";
    if (!former.script.empty()) question.text += marked("answer", former.script, kMaxScript / 4);
    question.text += marked("reason", former.why, kMaxWhy);
  }
  return question;
}

}  // namespace bashcell::heal
