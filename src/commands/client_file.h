#pragma once
// A server put into the configuration file of a client, which keeps everything else that it holds.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace bashcell::commands {

// `text` with `entry` as member "bashcell" under `members`. What is there keeps its order, an entry that is there keeps
// the members that the new one does not have, and the indentation is the file's. Empty text counts as {}. An error
// finishes "FILE ...": it has comments, which would be lost; is not valid JSON, and where; holds something else there.
base::Result<std::string> with_json_entry(const std::string& text, const std::vector<std::string_view>& members,
                                          const nlohmann::ordered_json& entry);

// `text` with `section`, [mcp_servers.bashcell], after it; unchanged when it holds just that. TOML is not parsed: an
// error when anything speaks of this server, or of all servers in a form that no section may follow.
base::Result<std::string> with_toml_section(const std::string& text, const std::string& section);

struct FileContent {
  std::string file;
  std::optional<std::string> text;  // nothing: there is no file
  unsigned mode = 0600;
  unsigned uid = 0;
  unsigned gid = 0;
};

// Follows links. A file that is missing is no error; one over 8 MB, or that is none, is. Errors name the file.
base::Result<FileContent> read_client_file(const std::string& path);

struct FileChange {
  bool changed = false;
  std::string file;    // as named, or where its link leads to
  std::string backup;  // of what was there; empty when there was nothing
};

// Atomically, with the old one's mode and owner, and a copy of it beside it. Folders are made.
base::Result<FileChange> replace_client_file(const FileContent& old, const std::string& text);

}  // namespace bashcell::commands
