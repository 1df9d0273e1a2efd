#pragma once
// What a long table or document is as a whole, in one line: the rows and columns of a CSV, the keys of a JSON text.
//
// Streaming; memory does not grow with the text. Gives up at the first thing that does not fit, and then costs nothing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bashcell::supervisor {

// One JSON text (RFC 8259), or one a line (JSON Lines). Checks the grammar as far as it needs to tell JSON from a log
// that begins with a bracket.
class JsonOutline {
 public:
  void add(std::string_view text);
  // "JSON array of 5,000 objects {id: number, owner: {name: string}}"; nothing when it is no complete JSON.
  std::optional<std::string> finish();

 private:
  enum class Type : uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };

  // A member of an object, or of all the objects in an array; they lie in the order in which they were seen.
  struct Key {
    int of = kTop;
    std::string name;
    Type type = Type::kNull;
    int64_t elements = 0;  // of an array
  };
  struct Level {
    bool object = false;
    bool wants_key = false;
    int64_t elements = 0;
    std::string key;  // of the value being read
    int of = kTop;    // whose members are in it
    int depth = 0;    // of keys
  };

  bool take(char c);
  bool end_token();
  bool begin_value(Type type);
  bool begin_container(bool object);
  bool end_container(bool object);
  void end_value(Type type);
  int note_key(const Level& level, Type type, int64_t elements);
  std::string key_text(const Key& key, size_t index) const;
  std::string keys_text(int of) const;

  static constexpr int kTop = -1;
  static constexpr int kUntold = -2;
  static constexpr size_t kMostLevels = 64;
  static constexpr int kMostDepth = 3;
  static constexpr size_t kMostKeys = 24;
  static constexpr size_t kMostOfAName = 40;

  bool failed_ = false;
  std::vector<Level> levels_;
  bool in_string_ = false;
  bool escaped_ = false;
  bool is_key_ = false;
  std::string token_;         // of a number or a word; the beginning of a string that is a key
  bool after_value_ = false;  // a comma or an end must follow
  bool wants_colon_ = false;
  bool new_line_ = true;  // since the last text at the top ended
  int64_t texts_ = 0;     // complete ones at the top
  Type top_ = Type::kNull;
  int64_t top_elements_ = 0;
  Type element_ = Type::kNull;  // of the first element of a top array
  std::vector<Key> keys_;
  size_t next_key_ = 0;  // where the next one is likely to be: objects repeat theirs in order
};

// Comma, semicolon or tab separated values with a header line.
class TableOutline {
 public:
  // A whole line, or the beginning of a very long one.
  void add_line(std::string_view line);
  // "CSV: 100,000 rows, 7 columns"; nothing when it is no table.
  std::optional<std::string> finish() const;

 private:
  static size_t delimiters_in(std::string_view line, char delimiter);

  char delimiter_ = 0;
  size_t columns_ = 0;
  int64_t rows_ = 0;  // without the header
  int64_t odd_ = 0;   // that have another number of columns
  bool failed_ = false;
};

}  // namespace bashcell::supervisor
