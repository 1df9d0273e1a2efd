#include "supervisor/heal_command.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/unique_fd.h"
#include "supervisor/asks.h"

namespace bashcell::supervisor {

namespace {

constexpr int kCannotBeHad = 1;
constexpr int kWrongUse = 2;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

void say(const std::string& text) { static_cast<void>(base::write_all(2, text + "\n")); }

// Returns only when there is no such program, or it cannot be run: errno says which.
void become(const std::string& program, const std::vector<std::string>& words) {
  std::vector<std::string> copies = words;  // execv() takes what it could change
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
}

int heal_and_become(const std::vector<std::string>& words, const std::string& beginning,
                    const std::string& run_folder) {
  const std::string& name = words.front();
  const std::string program = run_folder + "/tools/bin/" + name;
  const bool plain = !name.empty() && name.find('/') == std::string::npos;
  // It may be there all the same: another cell has installed it, or the script's PATH does not lead to it.
  if (plain) become(program, words);
  const bool healed = plain && errno == ENOENT && [&] {
    const base::Result<wire::Answer> answer = ask(ask_socket(run_folder), {"heal", name});
    return answer && answer->good;
  }();
  if (healed) become(program, words);
  const bool there = plain && errno != ENOENT && ::access(program.c_str(), F_OK) == 0;
  say(beginning + name + (there ? ": cannot execute" : ": command not found"));
  return there ? kCannotRun : kNotFound;
}

}  // namespace

int heal_command(const std::vector<std::string>& arguments, const std::string& run_folder) {
  if (arguments.size() >= 3 && arguments[0] == "--exec") {
    return heal_and_become({arguments.begin() + 2, arguments.end()}, arguments[1], run_folder);
  }
  if (arguments.size() != 1 || arguments[0].empty() || arguments[0][0] == '-') {
    say("usage: cell heal NAME");
    return kWrongUse;
  }
  const base::Result<wire::Answer> answer = ask(ask_socket(run_folder), {"heal", arguments[0]});
  if (!answer) {
    say("cell: " + answer.error().message);
  } else if (!answer->text.empty()) {
    say("cell: " + answer->text);
  }
  return answer && answer->good ? 0 : kCannotBeHad;
}

}  // namespace bashcell::supervisor
