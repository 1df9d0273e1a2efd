#include "tools/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "base/file_lock.h"
#include "base/sha256.h"
#include "base/unique_fd.h"

namespace bashcell::tools {

namespace {

using nlohmann::ordered_json;

// A line is written in far less; who still waits then writes without the lock, and leaves turning the file over to
// others.
constexpr base::Duration kPatience{20};
constexpr int kOpenFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
constexpr unsigned kMode = 0600;

// "2026-11-30T12:00:00.123Z".
std::string utc(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const std::time_t whole = seconds.count();
  std::tm parts{};
  if (::gmtime_r(&whole, &parts) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, (since - seconds).count());
}

const char* name_of(wire::Outcome outcome) {
  switch (outcome) {
    case wire::Outcome::kExited:
      return "exited";
    case wire::Outcome::kSignaled:
      return "signaled";
    case wire::Outcome::kTimedOut:
      return "timed_out";
    case wire::Outcome::kCancelled:
      return "cancelled";
    case wire::Outcome::kNotStarted:
      return "not_run";
    case wire::Outcome::kLost:
      break;
  }
  return "lost";
}

void add_end(ordered_json& line, const sandbox::CallReport& report) {
  const auto* done = std::get_if<wire::Done>(&report.result);
  if (done == nullptr) {
    line["outcome"] = std::holds_alternative<sandbox::NotRun>(report.result) ? "not_run" : "lost";
    return;
  }
  line["outcome"] = name_of(done->outcome);
  if (done->outcome == wire::Outcome::kExited) line["exit"] = done->code;
  if (done->outcome == wire::Outcome::kSignaled) line["signal"] = done->code;
  if (done->outcome == wire::Outcome::kTimedOut) line["timeout"] = report.session_over ? "session" : "call";
  line["wall_ms"] = done->wall_ms;
  line["killed"] = done->killed + done->killed_background;
  line["output_bytes"] = done->total_bytes;
}

int64_t size_of(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 ? info.st_size : 0;
}

base::UniqueFd open_unlocked(const std::string& path) {
  base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | kOpenFlags, kMode));
  struct stat info {};
  return fd.valid() && ::fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) ? std::move(fd) : base::UniqueFd();
}

// Nothing went wrong, or why.
std::optional<std::string> write_line(int fd, std::string_view line, bool locked) {
  const int64_t before = size_of(fd);
  const ssize_t written = ::write(fd, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return std::nullopt;
  const std::string why = written < 0 ? std::strerror(errno) : "the disk is full";
  // A piece of a line would spoil the next one, too.
  const bool ours = locked && written > 0 && size_of(fd) == before + written;
  if (ours && ::ftruncate(fd, before) != 0) return why + ", and a part of a line is left";
  return why;
}

}  // namespace

std::string audit_line(const AuditedCall& call, std::chrono::system_clock::time_point time, int server,
                       bool with_script) {
  ordered_json line;
  line["time"] = utc(time);
  line["server"] = server;
  line["cell"] = call.report.cell;
  line["script_sha256"] = base::sha256_hex(call.script);
  line["script_bytes"] = call.script.size();
  if (with_script) line["script"] = call.script;
  add_end(line, call.report);
  line["reply_bytes"] = call.reply_bytes;
  line["installed"] = call.installed;
  line["repaired"] = call.repaired;
  return line.dump(-1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

base::Result<Audit> Audit::open(Options options, base::Log log) {
  const base::UniqueFd fd(::open(options.path.c_str(), O_RDWR | O_CREAT | kOpenFlags, kMode));
  if (!fd.valid()) {
    const std::string why = errno == ELOOP ? "it is a symbolic link" : std::strerror(errno);
    return base::Error{"the record of calls, " + options.path + ", cannot be written: " + why};
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return base::Error{"the record of calls, " + options.path + ", cannot be written: it is no regular file"};
  }
  return Audit(std::move(options), log);
}

void Audit::add(const AuditedCall& call) {
  append(audit_line(call, std::chrono::system_clock::now(), ::getpid(), options_.scripts) + "\n");
}

void Audit::append(std::string_view line) {
  const std::string& path = options_.path;
  bool full = false;  // it was turned over once: whatever its size is now, this line goes in
  for (;;) {
    base::LockAttempt attempt = base::take_lock(path, kPatience, {.create = true, .mode = kMode});
    const auto* error = std::get_if<base::Error>(&attempt);
    const auto* lock = std::get_if<base::FileLock>(&attempt);
    if (lock != nullptr && !full) {
      const int64_t size = size_of(lock->fd());
      full = size > 0 && size + static_cast<int64_t>(line.size()) > options_.max_bytes;
      // Still locked: whoever waits for this file finds another one at its path then.
      if (full && ::rename(path.c_str(), (path + ".1").c_str()) == 0) continue;
      if (full) complain("it is over its size, and cannot be renamed: " + std::string(std::strerror(errno)));
    }
    const base::UniqueFd unlocked = lock != nullptr ? base::UniqueFd() : open_unlocked(path);
    // On a file system without locks the record is better than the order in it.
    if (error != nullptr && !unlocked.valid()) return complain(error->message);
    if (error != nullptr) tell_of_no_lock(error->message);
    const int fd = lock != nullptr ? lock->fd() : unlocked.get();
    // Also with the lock: somebody may write without it.
    if (lock != nullptr) ::fcntl(fd, F_SETFL, O_APPEND);
    if (const auto why = write_line(fd, line, lock != nullptr)) complain(*why);
    return;
  }
}

void Audit::tell_of_no_lock(const std::string& why) {
  if (std::exchange(told_of_no_lock_, true)) return;
  log_.error("the record of calls, " + options_.path +
             ", is written without a lock, and into one file of any size: " + why);
}

void Audit::complain(const std::string& why) {
  if (std::exchange(complained_, true)) return;
  log_.error("the record of calls, " + options_.path + ", misses some: " + why);
}

}  // namespace bashcell::tools
