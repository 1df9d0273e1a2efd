#include "config_filters.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/extended_regex.h"

namespace bashcell {
namespace {

using base::Error;
using base::Result;
using nlohmann::json;

constexpr size_t kMaxFilters = 100;
constexpr size_t kMaxName = 30;
constexpr size_t kMaxText = 16'384;  // it travels in the header of a frame

// A text, or an array of lines; nothing for anything else.
std::optional<std::vector<std::string>> texts_of(const json& filter, const char* member) {
  const auto found = filter.find(member);
  if (found == filter.end()) return std::nullopt;
  if (found->is_string()) return std::vector<std::string>{found->get<std::string>()};
  if (!found->is_array() ||
      !std::all_of(found->begin(), found->end(), [](const json& one) { return one.is_string(); })) {
    return std::nullopt;
  }
  return found->get<std::vector<std::string>>();
}

bool is_name(const std::string& name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ._-";
  return !name.empty() && name.size() <= kMaxName && name.find_first_not_of(kLetters) == std::string::npos;
}

bool is_expression(const std::string& expression) {
  return !expression.empty() && base::ExtendedRegex::compile(expression).ok();
}

bool is_script(const std::string& text) {
  const bool controls =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; });
  return !controls && text.size() <= kMaxText && text.find_first_not_of(" \t\n") != std::string::npos;
}

// What is wrong with it: "MEMBER must be ..."; empty when nothing is.
std::string read_filter(const json& value, ExtraFilter& filter) {
  if (!value.is_object()) return "must be an object with name, command and filter";
  constexpr std::array<std::string_view, 4> kMembers{"name", "command", "filter", "samples"};
  for (const auto& [member, ignored] : value.items()) {
    if (std::find(kMembers.begin(), kMembers.end(), member) == kMembers.end()) {
      return fmt::format("has a member \"{}\"; allowed are name, command, filter and samples", member.substr(0, 40));
    }
  }
  const auto name = value.find("name");
  if (name == value.end() || !name->is_string() || !is_name(name->get<std::string>())) {
    return fmt::format("needs a name of at most {} letters, digits, blanks and . _ -", kMaxName);
  }
  filter.name = name->get<std::string>();
  const auto commands = texts_of(value, "command");
  if (!commands || commands->empty() || !std::all_of(commands->begin(), commands->end(), is_expression)) {
    return "needs a command: an extended regular expression, or an array of them";
  }
  filter.commands = *commands;
  const auto lines = texts_of(value, "filter");
  if (lines) filter.text = fmt::format("{}", fmt::join(*lines, "\n"));
  if (!lines || !is_script(filter.text)) {
    return fmt::format("needs a filter: a bash script of at most {} bytes, as a text or an array of lines", kMaxText);
  }
  return {};
}

}  // namespace

Result<std::vector<ExtraFilter>> extra_filters(const json& list) {
  if (list.size() > kMaxFilters) return Error{fmt::format("has {} filters; allowed are {}", list.size(), kMaxFilters)};
  std::vector<ExtraFilter> filters;
  for (const json& value : list) {
    ExtraFilter filter;
    const std::string problem = read_filter(value, filter);
    if (!problem.empty()) {
      const std::string which = filter.name.empty() ? std::string() : fmt::format(" (\"{}\")", filter.name);
      return Error{fmt::format("is wrong: filter {}{} {}", filters.size() + 1, which, problem)};
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

}  // namespace bashcell
