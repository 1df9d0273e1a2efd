#include "tools/filters.h"

#include <algorithm>

#include "base/extended_regex.h"
#include "base/text.h"
#include "embedded/filter_texts.h"
#include "tools/script_command.h"

namespace bashcell::tools {

namespace {

// Whether the expression has alternatives outside of all brackets.
bool has_alternatives(std::string_view expression) {
  int depth = 0;
  for (size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '|' && depth == 0) return true;
    if (c == '\\') ++at;
    // In a set, the first character is not its end.
    if (c == '[')
      at = std::min(expression.find(']', at + (expression.substr(at, 2) == "[^" ? 3 : 2)), expression.size());
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return false;
}

// What every text that the expression matches begins with: a look at it spares compiling nearly all of them.
std::string_view plain_beginning(std::string_view expression) {
  if (has_alternatives(expression)) return {};
  const size_t length = std::min(expression.find_first_of(".[(\\*+?{^$"), expression.size());
  const bool of_the_last = length > 0 && length < expression.size() &&
                           std::string_view("*+?{").find(expression[length]) != std::string_view::npos;
  return expression.substr(0, of_the_last ? length - 1 : length);
}

bool matches(const std::string& command, std::string_view expression) {
  if (!command.starts_with(plain_beginning(expression))) return false;
  const std::string whole = "^(" + std::string(expression) + ")( |$)";
  const auto regex = base::ExtendedRegex::compile(whole);
  return regex && regex->found_in(command);
}

}  // namespace

std::optional<Filter> filter_for(std::string_view script, const std::vector<Filter>& extra) {
  const std::optional<std::string> command = only_command(script);
  if (!command) return std::nullopt;
  for (const Filter& filter : extra) {
    for (const std::string& expression : filter.commands) {
      if (matches(*command, expression)) return filter;
    }
  }
  for (const FilterText& filter : kFilters) {
    for (const std::string_view expression : base::split(filter.commands, '\n')) {
      if (matches(*command, expression))
        return Filter{std::string(filter.name), {std::string(expression)}, std::string(filter.text)};
    }
  }
  return std::nullopt;
}

std::vector<Filter> built_in_filters() {
  std::vector<Filter> filters;
  for (const FilterText& filter : kFilters) {
    const std::vector<std::string_view> commands = base::split(filter.commands, '\n');
    filters.push_back({std::string(filter.name), {commands.begin(), commands.end()}, std::string(filter.text)});
  }
  return filters;
}

}  // namespace bashcell::tools
