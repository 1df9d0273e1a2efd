#include "tools/audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "../../support/no_flock.h"
#include "../../support/temporary_folder.h"
#include "base/file.h"
#include "base/text.h"

using namespace bashcell;
using nlohmann::json;
using tools::Audit;

namespace {

sandbox::CallReport report_of(wire::Done done) {
  sandbox::CallReport report;
  report.result = std::move(done);
  report.cell = "bashcell-1";
  return report;
}

json line_of(const sandbox::CallReport& report, bool with_script = false) {
  const auto time = std::chrono::system_clock::time_point(std::chrono::milliseconds(1'796'040'000'007));
  return json::parse(tools::audit_line({.script = "abc", .report = report, .reply_bytes = 5, .installed = {"ripgrep"}},
                                       time, 4711, with_script));
}

std::vector<json> lines_in(const std::string& path) {
  const auto text = base::read_file(path, size_t{1} << 24);
  REQUIRE(text);
  REQUIRE((text->empty() || text->back() == '\n'));
  std::vector<json> lines;
  for (const std::string_view line : base::split(*text, '\n')) {
    if (!line.empty()) lines.push_back(json::parse(line));
  }
  return lines;
}

Audit opened(const std::string& path, int64_t max_bytes = 1 << 20, int log = 2) {
  auto audit = Audit::open({.path = path, .max_bytes = max_bytes}, base::Log(base::LogLevel::kError, log));
  REQUIRE(audit);
  return std::move(*audit);
}

}  // namespace

TEST_CASE("a line says what was asked, how it ended and what it cost") {
  wire::Done done;
  done.code = 3;
  done.wall_ms = 12;
  done.total_bytes = 4096;
  done.killed_background = 2;
  const json line = line_of(report_of(done));
  CHECK(line == json{{"time", "2026-11-30T12:00:00.007Z"},
                     {"server", 4711},
                     {"cell", "bashcell-1"},
                     {"script_sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                     {"script_bytes", 3},
                     {"outcome", "exited"},
                     {"exit", 3},
                     {"wall_ms", 12},
                     {"killed", 2},
                     {"output_bytes", 4096},
                     {"reply_bytes", 5},
                     {"installed", {"ripgrep"}},
                     {"repaired", false}});
  CHECK(line_of(report_of(done), true)["script"] == "abc");
}

TEST_CASE("each way to end has its name, and a timeout its level") {
  wire::Done done;
  const auto ended = [&](wire::Outcome outcome) {
    done.outcome = outcome;
    return line_of(report_of(done));
  };
  done.code = 9;
  CHECK(ended(wire::Outcome::kSignaled)["signal"] == 9);
  CHECK(ended(wire::Outcome::kTimedOut)["timeout"] == "call");
  CHECK_FALSE(ended(wire::Outcome::kTimedOut).contains("exit"));
  CHECK(ended(wire::Outcome::kCancelled)["outcome"] == "cancelled");
  CHECK(ended(wire::Outcome::kNotStarted)["outcome"] == "not_run");
  CHECK(ended(wire::Outcome::kLost)["outcome"] == "lost");
  done.outcome = wire::Outcome::kTimedOut;
  sandbox::CallReport report = report_of(done);
  report.session_over = true;
  CHECK(line_of(report)["timeout"] == "session");
  report.result = sandbox::CellLost{"it ended"};
  CHECK(line_of(report)["outcome"] == "lost");
  report.result = sandbox::NotRun{"no runtime"};
  CHECK(line_of(report)["outcome"] == "not_run");
}

TEST_CASE("the file is private, is appended to, and is not followed through a link") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/audit";
  const sandbox::CallReport report = report_of({});
  opened(path).add({.script = "1", .report = report});
  opened(path).add({.script = "22", .report = report});
  const auto lines = lines_in(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]["script_bytes"] == 2);
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  REQUIRE(::symlink(path.c_str(), (folder.path().string() + "/link").c_str()) == 0);
  REQUIRE(::mkfifo((folder.path().string() + "/pipe").c_str(), 0600) == 0);
  for (const std::string& bad :
       {folder.path().string() + "/link", folder.path().string() + "/pipe", folder.path().string(),
        std::string("/dev/full"), folder.path().string() + "/none/audit"}) {
    const auto refused = Audit::open({.path = bad}, base::Log(base::LogLevel::kQuiet));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(bad) != std::string::npos);
  }
}

TEST_CASE("at its size the file is turned over, and one older is kept") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/audit";
  const sandbox::CallReport report = report_of({});
  const std::string script(100, 'x');
  Audit audit = opened(path, 1000);
  for (int i = 0; i < 20; ++i) audit.add({.script = script, .report = report});
  CHECK(std::filesystem::file_size(path) <= 1000);
  CHECK(std::filesystem::file_size(path + ".1") <= 1000);
  CHECK(lines_in(path + ".1").size() == 3);
  CHECK_FALSE(std::filesystem::exists(path + ".2"));
  // Too long for any file: in one of its own.
  Audit small = opened(path, 10);
  small.add({.script = script, .report = report});
  CHECK(lines_in(path).size() == 1);
  // Removed under it: made again.
  std::filesystem::remove(path);
  audit.add({.script = script, .report = report});
  CHECK(lines_in(path).size() == 1);
}

TEST_CASE("several at once lose and mix nothing, also while they turn the file over") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/audit";
  constexpr int kEach = 60;
  // Two files hold all of it, so that nothing goes with an older one.
  constexpr int64_t kMaxBytes = 4 * kEach * 300 * 2 / 3;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      auto audit = Audit::open({.path = path, .max_bytes = kMaxBytes, .scripts = true}, base::Log());
      for (int i = 0; audit && i < kEach; ++i) {
        const std::string script = std::to_string(writer) + "-" + std::to_string(i);
        const sandbox::CallReport report = report_of({});
        audit->add({.script = script, .report = report});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::set<std::string> scripts;
  for (const std::string& file : {path, path + ".1"}) {
    for (const json& line : lines_in(file)) CHECK(scripts.insert(line["script"]).second);
  }
  CHECK(scripts.size() == 4 * kEach);
}

TEST_CASE("trouble is said once") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/audit";
  auto pipe = base::make_pipe();
  REQUIRE(pipe);
  Audit audit = opened(path, 1000, pipe->write.get());
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const sandbox::CallReport report = report_of({});
  for (int i = 0; i < 3; ++i) audit.add({.script = "x", .report = report});
  pipe->write.reset();
  std::string said(1000, '\0');
  const ssize_t got = ::read(pipe->read.get(), said.data(), said.size());
  REQUIRE(got > 0);
  said.resize(static_cast<size_t>(got));
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(said.find("the record of calls, " + path + ", misses some: ") != std::string::npos);
}

TEST_CASE("on a file system without locks no line is lost, and that the file is not turned over is said once") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "calls";
  const sandbox::CallReport report = report_of({});
  opened(path, 700).add({.script = "0", .report = report});
  for (const int problem : kNoFlock) {
    const std::string said = without_flock(problem, [&] {
      const std::string log = folder.path() / "log";
      const base::UniqueFd out(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      Audit audit = opened(path, 700, out.get());
      for (int i = 0; i < 5; ++i) audit.add({.script = "x", .report = report});
      return base::read_file(log).value();
    });
    CHECK_THAT(said, Catch::Contains(path) && Catch::Contains("cannot lock") &&
                         Catch::Contains(std::string("flock: ") + std::strerror(problem)) &&
                         Catch::Contains("written without a lock"));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
  CHECK(lines_in(path).size() == 1 + 5 * kNoFlock.size());
  CHECK_FALSE(std::filesystem::exists(path + ".1"));
  // Where there are locks again it goes on as ever.
  opened(path, 700).add({.script = "y", .report = report});
  CHECK(lines_in(path).size() == 1);
  CHECK(lines_in(path + ".1").size() == 1 + 5 * kNoFlock.size());
}
