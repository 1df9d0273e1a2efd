#include "heal/refused_install.h"

#include <algorithm>
#include <array>
#include <vector>

#include "heal/advice.h"

namespace bashcell::heal {

namespace {

constexpr size_t kMostCommands = 3;
constexpr size_t kMostWords = 4096;

template <size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& set) {
  return std::find(set.begin(), set.end(), word) != set.end();
}

bool is_manager(std::string_view word) {
  constexpr std::array<std::string_view, 11> kManagers{"apt",      "apt-get", "aptitude", "apk",  "dnf", "yum",
                                                       "microdnf", "pacman",  "zypper",   "brew", "snap"};
  return is_one_of(word.substr(word.rfind('/') + 1), kManagers);
}

bool is_install(std::string_view word) {
  constexpr std::array<std::string_view, 3> kVerbs{"install", "add", "reinstall"};
  return is_one_of(word, kVerbs) || word.starts_with("-S");  // pacman's
}

// Words in the order of the script; an empty one stands for the end of a command.
std::vector<std::string_view> words_of(std::string_view script) {
  constexpr std::string_view kEnds = ";&|()\n";
  constexpr std::string_view kBlanks = " \t\"'";
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t i = 0; i <= script.size() && words.size() < kMostWords; ++i) {
    const bool is_end = i == script.size() || kEnds.find(script[i]) != std::string_view::npos;
    if (!is_end && kBlanks.find(script[i]) == std::string_view::npos) continue;
    if (i > begin) words.push_back(script.substr(begin, i - begin));
    if (is_end) words.emplace_back();
    begin = i + 1;
  }
  return words;
}

std::string command_for(std::string_view package, const PackageTable& table) {
  package = package.substr(0, package.find('='));  // jq=1.6-2
  if (std::string command = table.command_of_package(package); !command.empty()) return command;
  return table.of_command(package) ? std::string(package) : std::string();
}

std::vector<std::string> commands_asked_for(std::string_view script, const PackageTable& table) {
  enum class State { kOther, kManager, kNames };
  std::vector<std::string> commands;
  State state = State::kOther;
  for (const std::string_view word : words_of(script)) {
    if (word.empty()) {
      state = State::kOther;
    } else if (is_manager(word)) {
      state = State::kManager;
    } else if (state == State::kManager && is_install(word)) {
      state = State::kNames;
    } else if (state == State::kNames && !word.starts_with("-") && commands.size() < kMostCommands) {
      std::string command = command_for(word, table);
      const bool is_new = std::find(commands.begin(), commands.end(), command) == commands.end();
      if (!command.empty() && is_new) commands.push_back(std::move(command));
    }
  }
  return commands;
}

}  // namespace

std::string hint_for_refused_install(std::string_view script, int uid, const PackageTable& table) {
  std::string hint = no_root(uid);
  std::string names;
  for (const std::string& command : commands_asked_for(script, table)) names += (names.empty() ? "" : ", ") + command;
  if (!names.empty()) hint += ": call " + names;
  return hint;
}

}  // namespace bashcell::heal
