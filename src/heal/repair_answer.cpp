#include "heal/repair_answer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

namespace bashcell::heal {

namespace {

constexpr std::string_view kFence = "```";

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// A sentence that bash would take for a command: "Sorry, I cannot", "Here is the script:".
bool is_prose(std::string_view text) {
  const std::string_view line = base::trimmed(text.substr(0, text.find('\n')));
  const bool is_test = line.starts_with("[ ") || line.starts_with("[[ ");
  if (line[0] == '<' || line.starts_with("{\"") || (line[0] == '[' && !is_test)) return true;
  const std::string_view word = line.substr(0, line.find_first_of(" ,'"));
  const bool capital = std::isupper(static_cast<unsigned char>(line[0])) != 0;
  const bool sentence_begins = capital && std::all_of(word.begin() + 1, word.end(), [](char c) {
                                 return std::islower(static_cast<unsigned char>(c)) != 0;
                               });
  const bool sentence_ends = line.size() > 1 && std::string_view(".:!?").find(line.back()) != std::string_view::npos &&
                             is_letter(line[line.size() - 2]);
  return sentence_begins || sentence_ends;
}

// The fences of a block are lines of their own. Everything around it is ignored.
struct Blocks {
  size_t count = 0;
  std::string_view language;
  std::string_view text;  // of the first
  bool open = false;      // the last has no end
};

Blocks blocks_in(std::string_view answer) {
  Blocks blocks;
  size_t begin = 0;
  for (size_t at = 0; at < answer.size();) {
    const size_t end = std::min(answer.find('\n', at), answer.size());
    const std::string_view line = base::trimmed(answer.substr(at, end - at));
    if (line.starts_with(kFence)) {
      if (!blocks.open && ++blocks.count == 1) {
        blocks.language = line.substr(kFence.size());
        begin = std::min(end + 1, answer.size());
      } else if (blocks.open && blocks.count == 1) {
        blocks.text = answer.substr(begin, at - begin);
      }
      blocks.open = !blocks.open;
    }
    at = end + 1;
  }
  return blocks;
}

base::Result<std::string_view> raw_script(std::string_view answer) {
  const Blocks blocks = blocks_in(answer);
  if (blocks.open) return base::Error{"its code block has no end"};
  if (blocks.count > 1) return base::Error{"it has more than one code block"};
  if (blocks.count == 0) {
    if (is_prose(answer)) return base::Error{"it is no script"};
    return answer;
  }
  constexpr std::array<std::string_view, 5> kShells{"", "bash", "sh", "shell", "Bash"};
  if (std::find(kShells.begin(), kShells.end(), base::trimmed(blocks.language)) == kShells.end()) {
    return base::Error{"its code block is not bash"};
  }
  return blocks.text;
}

}  // namespace

base::Result<std::string> script_in_answer(std::string_view answer, const std::vector<std::string>& tried) {
  const std::string text = base::with_unix_line_ends(answer);
  if (base::trimmed(text).empty()) return base::Error{"it is empty"};
  const base::Result<std::string_view> raw = raw_script(base::trimmed(text));
  if (!raw) return raw.error();
  const std::string_view script = base::trimmed(*raw);
  if (script.empty()) return base::Error{"its script is empty"};
  if (script.size() > kMaxRepairedScript) return base::Error{"its script is over 4 KB"};
  if (script.find('\0') != std::string_view::npos) return base::Error{"its script has NUL characters"};
  if (!base::is_valid_utf8(script)) return base::Error{"its script is not valid UTF-8"};
  if (script == "exit 1") return base::Error{"it gives up"};
  const bool again = std::any_of(tried.begin(), tried.end(),
                                 [&](const std::string& former) { return base::trimmed(former) == script; });
  if (again) return base::Error{"it is the same script again"};
  return std::string(script) + "\n";
}

}  // namespace bashcell::heal
