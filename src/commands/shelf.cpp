#include "commands/shelf.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "base/utf8.h"
#include "commands/shelving.h"
#include "commands/standard_streams.h"
#include "config_paths.h"
#include "shelf/store.h"
#include "wire/shelf_folder.h"

namespace bashcell::commands {
namespace {

int print(const base::UniqueFd& output, const std::string& text) { return base::write_all(output.get(), text) ? 0 : 1; }

// A script may hold what a terminal would obey.
std::string for_terminal(const std::string& script) {
  std::string clean;
  for (size_t start = 0; start < script.size();) {
    const size_t end = std::min(script.find('\n', start), script.size());
    clean += base::printable(script.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return clean;
}

int show(const shelf::Store& store, const std::string& name, const base::UniqueFd& output) {
  const base::Result<wire::ShelfEntry> entry = wire::read_shelf_entry(store.entries(), name);
  if (!entry) return fail(entry.error().message);
  return print(output, ::isatty(output.get()) == 1 ? for_terminal(entry->script) : entry->script);
}

int remove(const shelf::Store& store, const std::string& name) {
  const base::LockAttempt lock = store.take_lock();
  if (const auto* error = std::get_if<base::Error>(&lock)) return fail(error->message);
  const auto* locked = std::get_if<base::FileLock>(&lock);
  if (locked == nullptr) return fail("another bashcell is writing to the shelf; try again");
  const base::Result<void> removed = store.remove(*locked, name);
  return removed ? 0 : fail(removed.error().message);
}

// Never over a file that is there.
base::Result<void> write_new(const std::string& path, const std::string& content) {
  const base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0755));
  if (!file.valid()) return base::errno_error("cannot write " + path);
  base::Result<void> written = base::write_all(file.get(), content);
  if (!written) ::unlink(path.c_str());
  return written;
}

int export_to(const shelf::Store& store, const std::string& folder, const base::UniqueFd& output) {
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(base::errno_error("cannot make the folder " + folder).message);
  }
  int status = 0;
  size_t count = 0;
  for (const std::string& name : wire::shelf_names(store.entries())) {
    const auto entry = wire::read_shelf_entry(store.entries(), name);
    if (!entry) continue;
    const base::Result<void> written = write_new(folder + "/" + name, entry->script);
    if (!written) status = fail(written.error().message);
    if (written) ++count;
  }
  const int printed = print(output, fmt::format("{} {} to {}\n", count, count == 1 ? "script" : "scripts", folder));
  return status != 0 ? status : printed;
}

}  // namespace

int shelf(const Invocation& invocation, base::UniqueFd output) {
  const base::Result<bashcell::shelf::Place> place = shelf_place(invocation.config);
  if (!place) return fail(place.error().message);
  const base::Result<bashcell::shelf::Store> store = bashcell::shelf::Store::open(*place);
  if (!store) return fail("there is no shelf: " + store.error().message);
  const std::string& what = invocation.operand;
  if (what == "show") return show(*store, invocation.subject, output);
  if (what == "rm") return remove(*store, invocation.subject);
  if (what == "export") return export_to(*store, invocation.subject, output);
  return print(output, wire::shelf_list(store->entries()));
}

}  // namespace bashcell::commands
