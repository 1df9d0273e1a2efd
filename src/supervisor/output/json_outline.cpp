#include <algorithm>

#include "base/quantity.h"
#include "base/utf8.h"
#include "supervisor/output/outline.h"

namespace bashcell::supervisor {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
}

bool is_number(std::string_view token) {
  const char first = token.front() == '-' && token.size() > 1 ? token[1] : token.front();
  return first >= '0' && first <= '9' && token.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::string plural(int64_t count, const char* one, const char* many) {
  return base::grouped(count) + " " + (count == 1 ? one : many);
}

constexpr const char* kNames[] = {"null", "boolean", "number", "string", "array", "object"};
constexpr const char* kPlurals[] = {"nulls", "booleans", "numbers", "strings", "arrays", "objects"};

}  // namespace

void JsonOutline::add(std::string_view text) {
  if (failed_) return;
  for (size_t at = 0; at < text.size(); ++at) {
    if (in_string_ && !is_key_ && !escaped_) {  // most of a text; nothing in it matters but its end
      at = std::min(text.find_first_of("\"\\\n\t", at), text.size());
      if (at == text.size()) return;
    }
    if (!take(text[at])) {
      failed_ = true;
      return;
    }
  }
}

bool JsonOutline::take(char c) {
  if (in_string_) {
    if (static_cast<unsigned char>(c) < 0x20) return false;  // RFC 8259 wants it escaped
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      if (!is_key_) {
        end_value(Type::kString);
      } else {
        levels_.back().key = base::utf8_prefix(token_, kMostOfAName);
        wants_colon_ = true;
      }
      token_.clear();
      return true;
    }
    if (is_key_ && token_.size() <= kMostOfAName) token_ += c;
    return true;
  }
  if (!token_.empty()) {
    if (is_token_char(c)) return token_.size() < kMostOfAName && (token_ += c, true);
    if (!end_token()) return false;
  }
  if (is_blank(c)) {
    new_line_ = new_line_ || c == '\n';
    return true;
  }
  if (wants_colon_) {
    wants_colon_ = false;
    return c == ':';
  }
  if (c == ',') {
    if (!after_value_ || levels_.empty()) return false;
    after_value_ = false;
    levels_.back().wants_key = levels_.back().object;
    return true;
  }
  if (c == ']' || c == '}') return end_container(c == '}');
  if (after_value_) return false;
  if (!levels_.empty() && levels_.back().wants_key) {
    levels_.back().wants_key = false;
    is_key_ = in_string_ = c == '"';
    return in_string_;
  }
  if (c == '{' || c == '[') return begin_container(c == '{');
  if (levels_.empty()) return false;  // numbers and words alone are no JSON worth telling
  if (c == '"') {
    in_string_ = true;
    is_key_ = false;
    return true;
  }
  token_ = c;
  return is_token_char(c);
}

// A number or a word has ended.
bool JsonOutline::end_token() {
  const bool number = is_number(token_);
  const bool word = token_ == "true" || token_ == "false" || token_ == "null";
  const Type type = number ? Type::kNumber : token_ == "null" ? Type::kNull : Type::kBoolean;
  token_.clear();
  if (!number && !word) return false;
  end_value(type);
  return true;
}

bool JsonOutline::begin_container(bool object) {
  if (levels_.empty()) {
    if (!new_line_) return false;
    new_line_ = false;
    top_ = object ? Type::kObject : Type::kArray;
  }
  if (levels_.size() == kMostLevels) return false;
  Level level;
  level.object = level.wants_key = object;
  if (!levels_.empty()) {
    const Level& outer = levels_.back();
    level.depth = outer.depth + (outer.object ? 1 : 0);
    level.of = outer.object ? note_key(outer, object ? Type::kObject : Type::kArray, 0) : outer.of;
    if (level.depth >= kMostDepth) level.of = kUntold;
  }
  levels_.push_back(std::move(level));
  return true;
}

bool JsonOutline::end_container(bool object) {
  if (levels_.empty() || levels_.back().object != object) return false;
  if (!after_value_ && levels_.back().elements > 0) return false;  // a comma before the end
  const int64_t elements = levels_.back().elements;
  levels_.pop_back();
  if (levels_.empty()) {
    after_value_ = false;
    ++texts_;
    top_elements_ = elements;
    return true;
  }
  const Type type = object ? Type::kObject : Type::kArray;
  if (levels_.back().object) note_key(levels_.back(), type, elements);
  end_value(type);
  return true;
}

void JsonOutline::end_value(Type type) {
  after_value_ = true;
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (++level.elements == 1 && levels_.size() == 1 && !level.object) element_ = type;
  if (level.object && type != Type::kArray && type != Type::kObject) note_key(level, type, 0);
}

// Returns which one it is; kUntold when it is one too many.
int JsonOutline::note_key(const Level& level, Type type, int64_t elements) {
  if (level.of == kUntold) return kUntold;
  const auto matches = [&](const Key& key) { return key.of == level.of && key.name == level.key; };
  size_t at = next_key_ < keys_.size() && matches(keys_[next_key_]) ? next_key_ : 0;
  while (at < keys_.size() && !matches(keys_[at])) ++at;
  if (at == keys_.size()) {
    if (keys_.size() > kMostKeys) return kUntold;
    keys_.push_back({level.of, level.key, type, 0});
  }
  Key& key = keys_[at];
  if (key.type == Type::kNull) key.type = type;
  key.elements = std::max(key.elements, elements);
  next_key_ = at + 1;
  return static_cast<int>(at);
}

std::string JsonOutline::key_text(const Key& key, size_t index) const {
  const std::string members = keys_text(static_cast<int>(index));
  if (key.type == Type::kObject && !members.empty()) return members;
  std::string text = kNames[static_cast<size_t>(key.type)];
  if (key.type != Type::kArray) return text;
  const bool counted = texts_ == 1 && top_ == Type::kObject && key.of == kTop;
  if (counted) text += " of " + base::grouped(key.elements);
  return members.empty() ? text : text + (counted ? " " : " of ") + members;
}

std::string JsonOutline::keys_text(int of) const {
  std::string text;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].of != of) continue;
    text += text.empty() ? "{" : ", ";
    if (i == kMostKeys) return text + "...}";
    text += keys_[i].name + ": " + key_text(keys_[i], i);
  }
  return text.empty() ? text : text + "}";
}

std::optional<std::string> JsonOutline::finish() {
  if (!failed_ && !token_.empty()) failed_ = true;
  if (failed_ || in_string_ || !levels_.empty() || texts_ == 0) return std::nullopt;
  const std::string keys = keys_text(kTop);
  const std::string members = keys.empty() ? keys : " " + keys;
  if (texts_ > 1) {
    return "JSON lines: " + plural(texts_, kNames[static_cast<size_t>(top_)], kPlurals[static_cast<size_t>(top_)]) +
           members;
  }
  if (top_ == Type::kObject) return "JSON object" + members;
  return "JSON array of " +
         plural(top_elements_, kNames[static_cast<size_t>(element_)], kPlurals[static_cast<size_t>(element_)]) +
         members;
}

}  // namespace bashcell::supervisor
