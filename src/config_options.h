#pragma once
// The options as schemas/config.json lists them: names, kinds, and the words to speak of them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace bashcell {

enum class OptionKind { kText, kChoice, kInteger, kNumber, kSwitch, kList };

struct Option {
  std::string name;  // "max_timeout"
  OptionKind kind = OptionKind::kText;
  bool is_path = false;
  bool only_in_file = false;  // no flag, no variable
  nlohmann::json fallback;    // null when there is no default
  std::string description;
  std::string allowed;     // finishes "it must be ..."
  std::string value_name;  // "SECONDS"; empty for a switch
  std::vector<std::string> choices;
  std::string group;

  std::string flag() const;          // "--max-timeout"
  std::string variable() const;      // "BASHCELL_MAX_TIMEOUT"
  std::string default_text() const;  // as it would be given; empty when there is no default
};

// In the order of the schema.
std::vector<Option> all_options();

// The same with those of one group together, for people to read.
std::vector<Option> options_by_group();

const Option* find_option(const std::vector<Option>& options, std::string_view name);

// The value that `text` (from a flag or the environment) stands for. Text that is not a whole and plain number or
// switch stays text, so that the schema refuses it.
nlohmann::json value_from_text(const Option& option, const std::string& text);

// The known name most like `wrong`; nothing when none is near.
std::optional<std::string> nearest_name(std::string_view wrong, const std::vector<std::string>& known);

// "; did you mean NAME?", or nothing.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

// The name of the first member that schemas/config.json refuses; nothing when all is well.
std::optional<std::string> first_refused_member(const nlohmann::json& document);

}  // namespace bashcell
