#include "wire/shelf_folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <string_view>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "wire/shelf_name.h"

namespace bashcell::wire {

namespace {

using nlohmann::json;

constexpr size_t kMaxAbout = size_t{64} * 1024;
constexpr int kMaxAboutDepth = 4;
constexpr int64_t kMostComment = 60;

// Discarded when it is no object.
json read_object(const std::string& path, size_t limit) {
  const base::Result<std::string> text = base::read_file(path, limit + 1);
  if (!text || text->size() > limit || !depth_within(*text, kMaxAboutDepth)) return json(json::value_t::discarded);
  json object = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  return object.is_object() ? object : json(json::value_t::discarded);
}

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int64_t number_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX) return 0;
  return found->get<int64_t>();
}

Provenance provenance_from(const json& object) {
  Provenance provenance;
  provenance.saved_at = number_of(object, "saved_at");
  provenance.exit = number_of(object, "exit");
  provenance.wall_ms = number_of(object, "wall_ms");
  provenance.sha256 = text_of(object, "sha256");
  provenance.file = text_of(object, "file");
  provenance.cell = text_of(object, "cell");
  const auto arguments = object.find("arguments");
  if (arguments == object.end() || !arguments->is_array()) return provenance;
  for (const json& argument : *arguments) {
    if (argument.is_string()) provenance.arguments.push_back(argument.get<std::string>());
  }
  return provenance;
}

// What is said of the script with that sum.
std::optional<Provenance> provenance_of(const json& about, const std::string& sum) {
  if (text_of(about, "sha256") == sum) return provenance_from(about);
  const auto before = about.find("replaces");
  if (before == about.end() || !before->is_object() || text_of(*before, "sha256") != sum) return std::nullopt;
  return provenance_from(*before);
}

// The C1 controls, of which one begins escape sequences; and what turns the direction of a line around.
bool is_control(char32_t c) {
  return (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 || (c >= 0x200e && c <= 0x200f) ||
         (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string without_controls(std::string_view text) {
  const std::string printable = base::printable(text);
  std::string clean;
  for (size_t at = 0; at < printable.size();) {
    const base::Utf8Step step = base::utf8_step(std::string_view(printable).substr(at));
    clean += is_control(step.code_point) ? " " : printable.substr(at, step.length);
    at += step.length;
  }
  return clean;
}

// The first line that is a comment, without its sign; not "#!".
std::string first_comment(const std::string& script) {
  for (const std::string_view line : base::split(script, '\n')) {
    if (line.starts_with("#!")) continue;
    const std::string_view text = base::trimmed(line);
    if (!text.starts_with('#')) continue;
    const std::string clean = without_controls(text.substr(std::min(text.find_first_not_of('#'), text.size())));
    if (const std::string_view comment = base::trimmed(clean); !comment.empty()) return std::string(comment);
  }
  return {};
}

std::string cut(const std::string& text) {
  if (base::utf8_length(text) <= kMostComment) return text;
  constexpr std::string_view kDots = "...";
  return std::string(base::utf8_characters(text, kMostComment - static_cast<int64_t>(kDots.size()))) +
         std::string(kDots);
}

std::string date_and_time(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return "at an unknown time";
  return std::string(text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts));
}

}  // namespace

json to_json(const Provenance& provenance) {
  json object = {{"saved_at", provenance.saved_at},
                 {"exit", provenance.exit},
                 {"wall_ms", provenance.wall_ms},
                 {"sha256", provenance.sha256},
                 {"cell", provenance.cell}};
  if (provenance.file.empty()) return object;
  object["file"] = provenance.file;
  object["arguments"] = provenance.arguments;
  return object;
}

base::Error no_shelf_entry(const std::string& name) {
  return {"there is no '" + std::string(base::utf8_prefix(base::printable(name), kMaxShelfName)) + "' on the shelf"};
}

base::Result<ShelfEntry> read_shelf_entry(const std::string& folder, const std::string& name) {
  // Between the two reads it may be replaced more than once.
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts && is_shelf_name(name); ++attempt) {
    base::Result<std::string> script = base::read_file(folder + "/bin/" + name, kMaxShelfScript + 1);
    if (!script || script->size() > kMaxShelfScript) break;
    const json about = read_object(folder + "/about/" + name + ".json", kMaxAbout);
    if (about.is_discarded()) break;
    if (const std::optional<Provenance> provenance = provenance_of(about, base::sha256_hex(*script))) {
      return ShelfEntry{name, std::move(*script), *provenance};
    }
  }
  return no_shelf_entry(name);
}

std::vector<std::string> shelf_names(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> bin(::opendir((folder + "/bin").c_str()), &::closedir);
  while (bin) {
    const dirent* entry = ::readdir(bin.get());  // NOLINT: a stream of our own
    if (entry == nullptr) break;
    if (is_shelf_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string shelf_line(const ShelfEntry& entry) {
  std::string line = entry.name + "  " + date_and_time(entry.provenance.saved_at);
  if (const std::string comment = first_comment(entry.script); !comment.empty()) line += "  " + cut(comment);
  return line;
}

std::string shelf_list(const std::string& folder) {
  std::string list;
  for (const std::string& name : shelf_names(folder)) {
    if (const auto entry = read_shelf_entry(folder, name)) list += shelf_line(*entry) + "\n";
  }
  return list;
}

std::string as_shelf_script(std::string script, bool has_plain_bash) {
  if (!script.starts_with("#!"))
    script.insert(0, has_plain_bash ? "#!" + std::string(kPlainBash) + "\n" : "#!/usr/bin/env bash\n");
  return script;
}

std::string over_shelf_size() {
  return "is longer than " + std::to_string(kMaxShelfScript / 1024) + " KB: put data into files of /workspace";
}

int64_t shelf_version(const std::string& folder) {
  const std::string path = folder + "/shelf.json";
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 && errno == ENOENT) return kShelfVersion;
  const json object = read_object(path, kMaxAbout);
  return object.is_discarded() ? 0 : std::max<int64_t>(number_of(object, "version"), 0);
}

}  // namespace bashcell::wire
