#include "heal/install_facts.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace bashcell::heal {

namespace {

constexpr size_t kMaxSentence = 300;
constexpr size_t kMaxVersion = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_version(std::string_view text) {
  return !text.empty() && text.size() <= kMaxVersion && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alnum(c) || std::string_view(".+-:~_").find(c) != std::string_view::npos;
  });
}

bool is_python(std::string_view text) {
  return text.size() >= 3 && text.size() <= 5 && text.starts_with("3.") &&
         std::all_of(text.begin() + 2, text.end(), is_digit);
}

// ripgrep's "13.0.0-4+b2" is 13.0.0 to everybody but its packagers, as "1:9.18" is 9.18.
std::string upstream_version(std::string_view text) {
  const size_t epoch = text.find(':');
  if (epoch != std::string_view::npos) text.remove_prefix(epoch + 1);
  return std::string(text.substr(0, text.rfind('-')));
}

}  // namespace

base::Result<InstallFacts> parse_facts(std::string_view text) {
  InstallFacts facts;
  bool done = false;
  for (const std::string_view line : base::split(text.substr(0, kMaxFacts), '\n')) {
    const size_t equals = std::min(line.find('='), line.size());
    const std::string_view name = line.substr(0, equals);
    const std::string_view value = line.substr(std::min(equals + 1, line.size()));
    if (name == "error") return base::Error{std::string(base::utf8_prefix(base::printable(value), kMaxSentence))};
    if (name == "version" && is_version(value)) facts.version = upstream_version(value);
    if (name == "python" && is_python(value)) facts.python = value;
    done = done || (name == "done" && value == "yes");
  }
  if (!done) return base::Error{"the installer did not come to its end"};
  return facts;
}

}  // namespace bashcell::heal
