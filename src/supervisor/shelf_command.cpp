#include "supervisor/shelf_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "base/utf8.h"
#include "supervisor/asks.h"
#include "supervisor/cell_words.h"
#include "supervisor/trial.h"
#include "wire/shelf_folder.h"
#include "wire/shelf_name.h"

namespace bashcell::supervisor {

namespace {

constexpr int kRefused = kNotDone;

int refuse(const std::string& why) { return fail(kRefused, why); }
int wrong_use(const std::string& usage) {
  static_cast<void>(base::write_all(2, "usage: cell " + usage + "\n"));
  return kWrongUse;
}

std::string folder_in(const std::string& run_folder) { return run_folder + "/shelf"; }

bool has_shelf(const std::string& run_folder) {
  struct stat info {};
  return ::stat((folder_in(run_folder) + "/bin").c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

int ask_host(const std::vector<std::string>& words, const std::string& run_folder, std::string_view body = {}) {
  const base::Result<wire::Answer> answer = ask(ask_socket(run_folder), words, body);
  if (!answer) return refuse(answer.error().message);
  return fail(answer->good ? 0 : kRefused, answer->text);
}

// A command that the name would hide, or that would hide it. What is on the shelf itself is replaced.
bool is_on_path(const std::string& name, const std::string& run_folder) {
  const char* path = std::getenv("PATH");
  const std::string folders =
      std::string(path != nullptr ? path : "") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const std::string own = folder_in(run_folder) + "/bin";
  for (const std::string_view folder : base::split(folders, ':')) {
    if (folder.empty() || folder == own) continue;
    const std::string candidate = std::string(folder) + "/" + name;
    struct stat info {};
    if (::stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(candidate.c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

// What is not for the host to know in full. Valid text, as questions have to be.
std::vector<std::string> shortened(const std::vector<std::string>& words) {
  constexpr size_t kMostWords = 16;
  constexpr size_t kMostOfAWord = 100;
  std::vector<std::string> list;
  for (const std::string& word : words) {
    if (list.size() == kMostWords) break;
    list.emplace_back(base::utf8_prefix(base::printable(word), kMostOfAWord));
  }
  return list;
}

int save_file(const std::vector<std::string>& arguments, const std::string& run_folder) {
  const std::string& name = arguments[0];
  const std::string& file = arguments[1];
  const base::Result<std::string> script = script_of_file(file);
  if (!script) return refuse("not saved: " + script.error().message);
  const std::vector<std::string> own(arguments.begin() + 2, arguments.end());
  const base::Result<Trial> trial = try_script(name, *script, own);
  if (!trial) return refuse("not saved: " + trial.error().message);
  if (trial->exit != 0) {
    return refuse("not saved: " + base::printable(file) + " ended with exit code " + std::to_string(trial->exit) +
                  "; only one that ends with 0 can be saved");
  }
  std::vector<std::string> words = {"save", name, std::to_string(trial->wall.count())};
  for (std::string& word : shortened({arguments.begin() + 1, arguments.end()})) words.push_back(std::move(word));
  return ask_host(words, run_folder, *script);
}

int save(const std::vector<std::string>& arguments, const std::string& run_folder) {
  const std::string& name = arguments[0];
  if (const std::optional<std::string> problem = wire::shelf_name_problem(name)) return refuse(*problem);
  if (is_on_path(name, run_folder)) return refuse(wire::hides_a_command(name));
  return arguments.size() > 1 ? save_file(arguments, run_folder) : ask_host({"save", name}, run_folder);
}

int list(const std::string& folder) {
  const std::string text = wire::shelf_list(folder);
  if (text.empty()) return fail(0, "the shelf is empty; cell save NAME puts the last script there");
  return base::write_all(1, text) ? 0 : kRefused;
}

int show(const std::string& folder, const std::string& name) {
  const base::Result<wire::ShelfEntry> entry = wire::read_shelf_entry(folder, name);
  if (!entry) return refuse(entry.error().message);
  return base::write_all(1, entry->script) ? 0 : kRefused;
}

}  // namespace

bool is_shelf_verb(std::string_view verb) { return verb == "save" || verb == "list" || verb == "show" || verb == "rm"; }

int shelf_command(const std::vector<std::string>& arguments, const std::string& run_folder) {
  const std::string& verb = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  const bool has_option = !rest.empty() && rest[0].starts_with('-');
  if (verb == "save" && (rest.empty() || has_option)) return wrong_use("save NAME [FILE [ARGUMENT...]]");
  if (verb == "list" && !rest.empty()) return wrong_use("list");
  if ((verb == "show" || verb == "rm") && (rest.size() != 1 || has_option)) return wrong_use(verb + " NAME");
  if (!has_shelf(run_folder)) return ask_host({"shelf"}, run_folder);
  if (verb == "save") return save(rest, run_folder);
  if (verb == "list") return list(folder_in(run_folder));
  if (verb == "show") return show(folder_in(run_folder), rest[0]);
  if (!wire::is_shelf_name(rest[0])) return refuse(wire::no_shelf_entry(rest[0]).message);
  return ask_host({"rm", rest[0]}, run_folder);
}

}  // namespace bashcell::supervisor
