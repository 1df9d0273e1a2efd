#pragma once
// The record of calls (--audit): one line of JSON for each, appended to a file that several servers may share.
//
// Each line goes out whole, with one write under a lock on the file itself (base/file_lock.h); at a size, the file
// becomes FILE.1, in the place of an older one. On a file system without locks lines are written without one, and the
// file keeps its name at any size. No trouble with it is a call's: it is said once, and the call goes on.
// Blocks for a file operation, and for a few milliseconds while others write.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "sandbox/sandbox.h"

namespace bashcell::tools {

struct AuditedCall {
  std::string_view script;  // as it was sent
  const sandbox::CallReport& report;
  size_t reply_bytes = 0;
  std::vector<std::string> installed;  // packages, for this call
  bool repaired = false;               // another script ran in its place
};

// Without its newline. Pure. `with_script`: the script's text, too, and not only what it is known by.
std::string audit_line(const AuditedCall& call, std::chrono::system_clock::time_point time, int server,
                       bool with_script);

class Audit {
 public:
  struct Options {
    std::string path;
    int64_t max_bytes = int64_t{16} << 20;
    bool scripts = false;
  };

  // Makes the file, with mode 0600, when it is missing. An error, in one line that names the path, when it could not be
  // written, or is anything but a regular file.
  static base::Result<Audit> open(Options options, base::Log log);

  void add(const AuditedCall& call);

 private:
  Audit(Options options, base::Log log) : options_(std::move(options)), log_(log) {}

  void append(std::string_view line);
  void complain(const std::string& why);
  void tell_of_no_lock(const std::string& why);

  Options options_;
  base::Log log_;
  bool complained_ = false;
  bool told_of_no_lock_ = false;
};

}  // namespace bashcell::tools
