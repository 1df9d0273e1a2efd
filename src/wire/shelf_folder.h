#pragma once
// The shelf as host and cell see it: a folder of proven scripts. The host writes it (shelf/store.h); every cell that
// has it sees it at /run/cell/shelf, read-only.
//
//   shelf.json        {"version": 1}
//   bin/NAME          a script, executable; begins with "#!"
//   about/NAME.json   its provenance, with the SHA-256 of the script it speaks of. While an entry is replaced, it also
//                     holds the provenance of the script before: whichever fits the script that is there is true.
//
// A script without a fitting provenance is no entry. What is read here may be of a newer version, or damaged by hand:
// what cannot be understood is left out.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "wire/messages.h"

namespace bashcell::wire {

inline constexpr size_t kMaxShelfEntries = 200;
inline constexpr size_t kMaxShelfScript = kMaxAskBody;
inline constexpr int64_t kShelfVersion = 1;

// Where a script comes from, and what is known of the run that proved it.
struct Provenance {
  int64_t saved_at = 0;                // seconds since 1970
  int64_t exit = 0;                    // of the run
  int64_t wall_ms = 0;                 // of the run
  std::string sha256;                  // of the script as it is in bin/
  std::string file;                    // it was this file; empty: the script of a call
  std::vector<std::string> arguments;  // that the file was run with
  std::string cell;                    // the name of the cell
};
nlohmann::json to_json(const Provenance& provenance);

struct ShelfEntry {
  std::string name;
  std::string script;
  Provenance provenance;
};

// "there is no 'NAME' on the shelf", whatever the name is.
base::Error no_shelf_entry(const std::string& name);
// Else no_shelf_entry().
base::Result<ShelfEntry> read_shelf_entry(const std::string& folder, const std::string& name);
// All names in bin/ that could be entries', sorted.
std::vector<std::string> shelf_names(const std::string& folder);

// "count-lines  2026-11-30 12:34  Counts lines of all files" for a listing, the time in UTC: one line, without control
// characters, with at most 60 characters of the script's first comment.
std::string shelf_line(const ShelfEntry& entry);
// A line for each entry.
std::string shelf_list(const std::string& folder);

// With a first line that says what runs it: its own, or a bash, which is at kPlainBash or somewhere on PATH.
std::string as_shelf_script(std::string script, bool has_plain_bash);
inline constexpr const char* kPlainBash = "/bin/bash";
// What a script does that is over kMaxShelfScript, and what helps: the end of a sentence about it.
std::string over_shelf_size();

// Of shelf.json; 0: it is damaged. A missing one is kShelfVersion.
int64_t shelf_version(const std::string& folder);

}  // namespace bashcell::wire
