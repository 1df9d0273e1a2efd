#include "shelf/store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "engine/private_folder.h"
#include "wire/shelf_name.h"

namespace bashcell::shelf {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_folder(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_there(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 || errno != ENOENT;
}

base::Result<void> move(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return base::errno_error("cannot write " + to);
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

base::LockOptions lock_options() { return {.cure = engine::use_another_place("/var/lib", "XDG_DATA_HOME")}; }

// Every start of a server in a new folder leaves a shelf, mostly an empty one.
void sweep_others(const fs::path& parent, const fs::path& own) {
  std::error_code error;
  std::vector<std::string> abandoned;
  for (const fs::directory_entry& other : fs::directory_iterator(parent, error)) {
    if (other.path() == own) continue;
    const base::Result<std::string> workspace = base::read_file(other.path().string() + "/workspace", 1 << 14);
    if (!workspace || workspace->empty() || is_there(*workspace)) continue;
    if (wire::shelf_names(other.path().string() + "/entries").empty()) abandoned.push_back(other.path());
  }
  for (const std::string& folder : abandoned) {
    const base::LockAttempt lock = base::try_lock(folder + "/lock");
    const bool ours = std::holds_alternative<base::FileLock>(lock);
    if (ours && wire::shelf_names(folder + "/entries").empty()) remove_all(folder);
  }
}

}  // namespace

base::Result<Store> Store::open(const Place& place) {
  const fs::path path(place.folder);
  const fs::path parent = path.parent_path();  // .../shelf
  const fs::path ours = parent.parent_path();  // .../bashcell
  std::error_code error;
  fs::create_directories(ours.parent_path(), error);  // ~/.local/share may be missing
  const bool is_new = !is_there(path);
  for (const fs::path& one : {ours, parent, path, path / "drafts"}) {  // the first may be somebody's chosen place
    if (one == ours && is_folder(one)) continue;
    if (base::Result<void> made = engine::make_private(one); !made) return made.error();
  }
  Store store(path);
  for (const char* name : {"", "/bin", "/about"}) {
    if (base::Result<void> made = engine::make_open(store.entries() + name); !made) return made.error();
  }
  const std::string version = store.entries() + "/shelf.json";
  if (!is_there(version)) {
    const base::Result<void> written = base::write_file(version, json{{"version", wire::kShelfVersion}}.dump() + "\n");
    if (!written) return written.error();
  }
  if (!is_new) return store;
  if (!place.workspace.empty()) {
    const base::Result<void> written = base::write_file(store.folder_ + "/workspace", place.workspace, 0600);
    if (!written) return written.error();
  }
  sweep_others(parent, path);
  return store;
}

base::LockAttempt Store::try_lock() const { return base::try_lock(folder_ + "/lock", lock_options()); }

base::LockAttempt Store::take_lock() const {
  return base::take_lock(folder_ + "/lock", base::kLockPatience, lock_options());
}

base::Result<void> Store::check_version() const {
  const int64_t version = wire::shelf_version(entries());
  if (version == wire::kShelfVersion) return {};
  if (version > wire::kShelfVersion) {
    return base::Error{fmt::format("the shelf is of version {}, and this bashcell writes version {}: use the newer one",
                                   version, wire::kShelfVersion)};
  }
  return base::Error{entries() + "/shelf.json is damaged; remove it"};
}

// What is no entry, whoever has left it there.
void Store::sweep_entries() const {
  for (const std::string& name : wire::shelf_names(entries())) {
    if (wire::read_shelf_entry(entries(), name)) continue;
    remove_all(entries() + "/bin/" + name);
    remove_all(entries() + "/about/" + name + ".json");
  }
}

base::Result<void> Store::make_room(const std::string& name) const {
  const auto is_full = [&] {
    const std::vector<std::string> names = wire::shelf_names(entries());
    return names.size() >= wire::kMaxShelfEntries && !std::binary_search(names.begin(), names.end(), name);
  };
  if (!is_full()) return {};
  sweep_entries();
  if (!is_full()) return {};
  return base::Error{
      fmt::format("the shelf is full ({} scripts): remove one with cell rm NAME", wire::kMaxShelfEntries)};
}

base::Result<void> Store::put(const base::FileLock&, wire::ShelfEntry entry) const {
  if (base::Result<void> checked = check_version(); !checked) return checked;
  remove_all(folder_ + "/drafts");  // nobody else writes: what is there was left by a server that was killed
  if (base::Result<void> made = engine::make_private(folder_ + "/drafts"); !made) return made;
  if (base::Result<void> made = make_room(entry.name); !made) return made;
  entry.provenance.sha256 = base::sha256_hex(entry.script);
  json about = wire::to_json(entry.provenance);
  if (const base::Result<wire::ShelfEntry> before = wire::read_shelf_entry(entries(), entry.name)) {
    about["replaces"] = wire::to_json(before->provenance);
  }
  const std::string script = folder_ + "/drafts/script";
  const std::string provenance = folder_ + "/drafts/about";
  base::Result<void> written = base::write_file(script, entry.script, 0755);
  if (written) written = base::write_file(provenance, about.dump() + "\n", 0644);
  // From here on the new provenance speaks of both scripts, and then of the new one.
  if (written) written = move(provenance, entries() + "/about/" + entry.name + ".json");
  if (written) written = move(script, entries() + "/bin/" + entry.name);
  return written;
}

base::Result<void> Store::remove(const base::FileLock&, const std::string& name) const {
  if (base::Result<void> checked = check_version(); !checked) return checked;
  const std::string script = entries() + "/bin/" + name;
  if (!wire::is_shelf_name(name) || !is_there(script)) return wire::no_shelf_entry(name);
  if (::unlink(script.c_str()) != 0) return base::errno_error("cannot remove " + script);
  ::unlink((entries() + "/about/" + name + ".json").c_str());  // without the script it means nothing
  return {};
}

}  // namespace bashcell::shelf
