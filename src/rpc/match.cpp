#include "rpc/match.h"

#include <string_view>

#include "base/utf8.h"
#include "rpc/regex.h"

namespace bashcell::rpc {

namespace {

using base::Error;
using base::Result;
using nlohmann::json;

std::string shown(const json& value) {
  constexpr size_t kMaxShown = 2000;
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= kMaxShown) return text;
  return std::string(base::utf8_prefix(text, kMaxShown)) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::optional<bool> is_of_type(const std::string& type, const json& value) {
  if (type == "any") return true;
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "null") return value.is_null();
  return std::nullopt;
}

bool is_matcher(const json& pattern) {
  return pattern.is_object() && pattern.size() == 1 && pattern.begin().key().rfind("$", 0) == 0;
}

bool matcher_accepts(const std::string& kind, const std::string& argument, const json& actual, Bindings& bindings) {
  if (kind == "$any") return is_of_type(argument, actual).value_or(false);
  if (kind == "$bind") return bindings.emplace(argument, actual).first->second == actual;
  if (kind != "$re" || !actual.is_string()) return false;
  return regex_matches(argument, actual.get_ref<const std::string&>());
}

// nlohmann compares 1 and 1.0 as equal; a client does not have to.
bool same_kind(const json& a, const json& b) { return a.is_number_float() == b.is_number_float(); }

class Comparison {
 public:
  explicit Comparison(Bindings& bindings) : bindings_(bindings) {}

  std::optional<std::string> compare(const std::string& path, const json& pattern, const json& actual) {
    if (is_matcher(pattern)) {
      const bool accepted = pattern.begin().value().is_string() &&
                            matcher_accepts(pattern.begin().key(), pattern.begin().value(), actual, bindings_);
      return accepted ? std::nullopt : mismatch(path, shown(pattern), shown(actual));
    }
    if (pattern.is_object() && actual.is_object()) return compare_objects(path, pattern, actual);
    if (pattern.is_array() && actual.is_array()) return compare_arrays(path, pattern, actual);
    if (pattern == actual && same_kind(pattern, actual)) return std::nullopt;
    return mismatch(path, shown(pattern), shown(actual));
  }

 private:
  static std::optional<std::string> mismatch(const std::string& path, const std::string& want, const std::string& got) {
    return (path.empty() ? "the message" : path) + ": expected " + want + ", got " + got;
  }

  std::optional<std::string> compare_objects(const std::string& path, const json& pattern, const json& actual) {
    const auto inner = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
    for (const auto& [key, value] : pattern.items()) {
      const auto found = actual.find(key);
      if (found == actual.end()) return mismatch(inner(key), shown(value), "nothing");
      if (auto different = compare(inner(key), value, *found)) return different;
    }
    for (const auto& [key, value] : actual.items()) {
      if (!pattern.contains(key)) return mismatch(inner(key), "nothing", shown(value));
    }
    return std::nullopt;
  }

  std::optional<std::string> compare_arrays(const std::string& path, const json& pattern, const json& actual) {
    for (size_t i = 0; i < pattern.size() && i < actual.size(); ++i) {
      if (auto different = compare(path + "[" + std::to_string(i) + "]", pattern[i], actual[i])) return different;
    }
    if (pattern.size() == actual.size()) return std::nullopt;
    return mismatch(path, std::to_string(pattern.size()) + " elements", std::to_string(actual.size()));
  }

  Bindings& bindings_;
};

}  // namespace

std::optional<std::string> difference(const json& pattern, const json& actual, Bindings& bindings) {
  return Comparison(bindings).compare("", pattern, actual);
}

Result<void> check_pattern(const json& pattern) {
  if (!is_matcher(pattern)) {
    for (const auto& [key, value] : pattern.items()) {
      if (!value.is_structured()) continue;
      if (const Result<void> inner = check_pattern(value); !inner) return inner.error();
    }
    return {};
  }
  const std::string& kind = pattern.begin().key();
  const json& argument = pattern.begin().value();
  if (!argument.is_string()) return Error{kind + " takes a string"};
  if (kind == "$any" && !is_of_type(argument, nullptr))
    return Error{"$any: no such type: " + argument.get<std::string>()};
  if (kind == "$re") return check_regex(argument);
  if (kind != "$any" && kind != "$bind") return Error{"no such matcher: " + kind};
  return {};
}

}  // namespace bashcell::rpc
