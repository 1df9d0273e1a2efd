#include "config_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "embedded/config_schema.h"

namespace bashcell {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

OptionKind kind_of(const ordered_json& property) {
  if (property.contains("enum")) return OptionKind::kChoice;
  const std::string type = property.at("type");
  if (type == "integer") return OptionKind::kInteger;
  if (type == "number") return OptionKind::kNumber;
  if (type == "array") return OptionKind::kList;
  return type == "boolean" ? OptionKind::kSwitch : OptionKind::kText;
}

std::string choices_text(const ordered_json& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i].get<std::string>();
  }
  return text;
}

std::string allowed_text(const ordered_json& property, OptionKind kind) {
  if (property.contains("x-allowed")) return property["x-allowed"];
  switch (kind) {
    case OptionKind::kChoice:
      return choices_text(property.at("enum"));
    case OptionKind::kSwitch:
      return "true or false";
    case OptionKind::kInteger:
    case OptionKind::kNumber: {
      const std::string unit = property.value("x-value", "N");
      return fmt::format("{} from {} to {}{}", kind == OptionKind::kInteger ? "a whole number" : "a number",
                         property.at("minimum").dump(), property.at("maximum").dump(),
                         unit == "N" ? "" : fmt::format(" ({})", unit == "SECONDS" ? "seconds" : unit));
    }
    case OptionKind::kText:
    case OptionKind::kList:
      break;
  }
  return property.at("x-allowed");
}

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// Levenshtein: how many letters must be changed, added or dropped.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The whole of `text` as a number in plain decimal form.
template <typename Number>
std::optional<Number> number_from(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

json switch_from(const std::string& text) {
  if (text == "true" || text == "1" || text == "yes" || text == "on") return true;
  if (text == "false" || text == "0" || text == "no" || text == "off") return false;
  return text;
}

}  // namespace

std::string Option::flag() const { return "--" + with_dashes(name); }

std::string Option::variable() const {
  std::string upper = "BASHCELL_";
  for (const char c : name) upper += c == '_' ? '_' : static_cast<char>(c - 'a' + 'A');
  return upper;
}

std::string Option::default_text() const {
  if (fallback.is_null()) return "";
  return fallback.is_string() ? fallback.get<std::string>() : fallback.dump();
}

std::vector<Option> all_options() {
  const ordered_json schema = ordered_json::parse(embedded::kConfigSchema);
  std::vector<Option> options;
  for (const auto& [name, property] : schema.at("properties").items()) {
    Option option;
    option.name = name;
    option.kind = kind_of(property);
    option.is_path = property.value("x-path", false);
    option.only_in_file = property.value("x-file-only", false);
    option.fallback = property.value("default", ordered_json());
    option.description = property.at("description");
    option.allowed = allowed_text(property, option.kind);
    option.value_name = property.value("x-value", "");
    if (option.kind == OptionKind::kChoice) option.choices = property.at("enum").get<std::vector<std::string>>();
    option.group = property.at("x-group");
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<Option> options_by_group() {
  std::vector<Option> grouped;
  for (const Option& option : all_options()) {
    const auto last = std::find_if(grouped.rbegin(), grouped.rend(),
                                   [&](const Option& other) { return other.group == option.group; });
    grouped.insert(last == grouped.rend() ? grouped.end() : last.base(), option);
  }
  return grouped;
}

const Option* find_option(const std::vector<Option>& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

json value_from_text(const Option& option, const std::string& text) {
  switch (option.kind) {
    case OptionKind::kInteger:
      if (const auto value = number_from<int64_t>(text)) return *value;
      return text;
    case OptionKind::kNumber:
      if (const auto value = number_from<double>(text); value && std::isfinite(*value)) return *value;
      return text;
    case OptionKind::kSwitch:
      return switch_from(text);
    case OptionKind::kText:
    case OptionKind::kChoice:
    case OptionKind::kList:
      break;
  }
  return text;
}

std::optional<std::string> nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& name : known) {
    const size_t distance = edit_distance(wrong, name);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = name;
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::optional<std::string> near = nearest_name(wrong, known);
  return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

}  // namespace bashcell
