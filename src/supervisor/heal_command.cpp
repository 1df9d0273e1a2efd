#include "supervisor/heal_command.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/process.h"
#include "base/unique_fd.h"
#include "supervisor/asks.h"
#include "supervisor/cell_words.h"

namespace bashcell::supervisor {

namespace {

constexpr int kCannotBeHad = kNotDone;

void say(const std::string& text) { static_cast<void>(base::write_all(2, text + "\n")); }

// Returns only when there is no such program, or it cannot be run: errno says which.
void become(const std::string& program, const std::vector<std::string>& words) {
  ::execv(program.c_str(), base::argv_of(words).data());
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
  if (!answer) return fail(kCannotBeHad, answer.error().message);
  const int status = answer->good ? 0 : kCannotBeHad;
  return answer->text.empty() ? status : fail(status, answer->text);
}

}  // namespace bashcell::supervisor
