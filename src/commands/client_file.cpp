#include "commands/client_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace bashcell::commands {
namespace {

using base::Error;
using base::Result;
using nlohmann::ordered_json;

constexpr const char* kServer = "bashcell";
constexpr size_t kMaxFile = size_t{8} << 20;

struct Indent {
  int width = 2;
  char sign = ' ';
};

// That of the first line that has one.
Indent indent_of(const std::string& text) {
  for (const std::string_view line : base::split(text, '\n')) {
    const size_t width = line.find_first_not_of(line.starts_with('\t') ? "\t" : " ");
    if (width == 0 || width == std::string_view::npos || width > 8) continue;
    return {static_cast<int>(width), line[0]};
  }
  return {};
}

Error unreadable(const std::string& text, size_t byte) {
  const bool has_comments = ordered_json::accept(text, /*ignore_comments=*/true);
  if (has_comments) return Error{"has comments, which would be lost"};
  return Error{fmt::format("is not valid JSON: see line {}", base::line_of(text, byte))};
}

// As `[ "mcp_servers" . bashcell ]  # mine` is mcp_servers.bashcell; other lines are what stands before the first =
// sign.
std::string toml_key(std::string_view line) {
  const bool is_header = line.find_first_not_of(" \t") != std::string_view::npos && base::trimmed(line)[0] == '[';
  std::string key;
  for (const char byte : line) {
    if (byte == (is_header ? ']' : '=') || byte == '#') break;
    if (std::string_view(" \t\r\"'[").find(byte) == std::string_view::npos) key += byte;
  }
  return is_header ? "[" + key : key;
}

bool is_within(const std::string& key, const std::string& table) {
  return key == table || key.starts_with(table + ".");
}

std::string backup_name(const std::string& file) {
  const std::time_t now = std::time(nullptr);
  struct tm parts {};
  ::localtime_r(&now, &parts);
  return fmt::format("{}.{:04}{:02}{:02}-{:02}{:02}{:02}.bak", file, parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Result<void> write_as(const FileContent& owner, const std::string& path, const std::string& text) {
  auto written = base::write_file(path, text, owner.mode);
  if (!written || !owner.text || ::geteuid() != 0) return written;
  if (::lchown(path.c_str(), owner.uid, owner.gid) != 0) return base::errno_error("cannot give " + path + " its owner");
  return {};
}

}  // namespace

Result<std::string> with_json_entry(const std::string& text, const std::vector<std::string_view>& members,
                                    const ordered_json& entry) {
  ordered_json document = ordered_json::object();
  if (!base::trimmed(text).empty()) {
    try {
      document = ordered_json::parse(text);
    } catch (const ordered_json::parse_error& error) {
      return unreadable(text, error.byte);
    }
  }
  ordered_json* place = &document;
  std::string where = "the whole";
  for (const std::string_view member : members) {
    if (!place->is_object()) return Error{fmt::format("holds no object where one belongs: {}", where)};
    where = fmt::format("\"{}\"", member);
    ordered_json& next = (*place)[std::string(member)];
    if (next.is_null()) next = ordered_json::object();
    place = &next;
  }
  if (!place->is_object()) return Error{fmt::format("holds no object where one belongs: {}", where)};
  ordered_json& server = (*place)[kServer];
  if (!server.is_object()) server = ordered_json::object();
  for (const auto& [name, value] : entry.items()) {
    if (value.is_object() && server.contains(name) && server[name].is_object()) {
      server[name].update(value);  // variables that the user has added
    } else {
      server[name] = value;
    }
  }
  const Indent indent = indent_of(text);
  return document.dump(indent.width, indent.sign, false, ordered_json::error_handler_t::replace) + "\n";
}

Result<std::string> with_toml_section(const std::string& text, const std::string& section) {
  if (("\n" + text + "\n").find("\n" + section) != std::string::npos) return text;
  size_t number = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    ++number;
    const std::string key = toml_key(line);
    if (is_within(key, "[mcp_servers.bashcell") || is_within(key, kServer) || is_within(key, "mcp_servers")) {
      return Error{fmt::format("speaks of this server, or of all of them in one value, in line {} already", number)};
    }
  }
  std::string joined = text;
  if (!joined.empty() && !joined.ends_with('\n')) joined += '\n';
  return joined + (joined.empty() ? "" : "\n") + section;
}

Result<FileContent> read_client_file(const std::string& path) {
  FileContent content{.file = path, .text = std::nullopt};
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return content;
    return base::errno_error("cannot look at " + path);
  }
  std::error_code failure;
  content.file = std::filesystem::canonical(path, failure).string();
  if (failure) return Error{path + " leads nowhere: " + failure.message()};
  if (::stat(content.file.c_str(), &info) != 0) return base::errno_error("cannot look at " + content.file);
  if (!S_ISREG(info.st_mode)) return Error{content.file + " is not a file"};
  content.mode = info.st_mode & 0777;
  content.uid = info.st_uid;
  content.gid = info.st_gid;
  Result<std::string> text = base::read_file(content.file, kMaxFile + 1);
  if (!text) return text.error();
  if (text->size() > kMaxFile) return Error{content.file + " is over 8 MB, which no configuration is"};
  content.text = std::move(*text);
  return content;
}

Result<FileChange> replace_client_file(const FileContent& old, const std::string& text) {
  FileChange change{.changed = false, .file = old.file, .backup = ""};
  if (old.text == text) return change;
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(old.file).parent_path(), failure);
  if (failure) return Error{"cannot make the folder of " + old.file + ": " + failure.message()};
  if (old.text) {
    change.backup = backup_name(old.file);
    if (auto kept = write_as(old, change.backup, *old.text); !kept) return kept.error();
  }
  if (auto written = write_as(old, old.file, text); !written) return written.error();
  change.changed = true;
  return change;
}

}  // namespace bashcell::commands
