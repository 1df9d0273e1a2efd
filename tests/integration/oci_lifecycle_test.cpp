// Starts, ends and failures of real cells: whatever is killed or stopped, nothing of a cell stays behind, and nobody
// else's is touched.

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "integration/oci_leftovers.h"
#include "integration/oci_place.h"

using namespace bashcell;
using namespace bashcell::engine;
namespace fs = std::filesystem;

namespace {

// A process that was not found must never become kill(-1), which as root hits every process of the machine.
void send_signal(pid_t pid, int signal) {
  REQUIRE(pid > 1);
  REQUIRE(::kill(pid, signal) == 0);
}

CellProcesses found_processes(const std::string& cell_name) {
  const CellProcesses found = processes_of(cell_name);
  REQUIRE(found.runtime > 1);
  REQUIRE(found.supervisor > 1);
  return found;
}

// A server of its own with one cell, which then does nothing until it is killed, at the latest with this object.
class OtherServer {
 public:
  explicit OtherServer(const Place& place) {
    base::Result<base::Pipe> report = base::make_pipe();
    REQUIRE(report);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) serve(place, report->write.get());
    report->write.reset();
    char buffer[256];
    for (ssize_t n; (n = ::read(report->read.get(), buffer, sizeof buffer)) > 0;) {
      cell_.append(buffer, static_cast<size_t>(n));
    }
    REQUIRE_FALSE(cell_.empty());
  }
  OtherServer(const OtherServer&) = delete;
  OtherServer& operator=(const OtherServer&) = delete;
  ~OtherServer() { kill(); }

  const std::string& cell() const { return cell_; }
  void kill() {
    if (pid_ <= 1) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  [[noreturn]] static void serve(const Place& place, int report) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    engine::oci::OciEngine engine(place.options);
    base::Result<std::unique_ptr<Cell>> cell = engine.start(place.spec);
    if (!cell) _exit(1);
    receive((*cell)->stream(), [](const std::string& text) { return text.size() >= 6; });
    base::write_all(report, (*cell)->id()).ok();
    ::close(report);
    for (;;) ::pause();
  }

  pid_t pid_ = -1;
  std::string cell_;
};

}  // namespace
TEST_CASE("closing the cell removes processes, state, cgroup and bundle, and no descriptor stays") {
  const Place place;
  oci::OciEngine engine(place.options);
  start(engine, place.spec).reset();  // what is opened once is open now
  const size_t before = open_descriptors();
  for (int round = 0; round < 3; ++round) {
    auto cell = start(engine, place.spec);
    const std::string name = cell->id();
    const CellProcesses processes = found_processes(name);
    run(*cell, "sleep 300 >/dev/null 2>&1 & true");
    CHECK_FALSE(fs::exists(place.options.private_folder + "/bundles/" + name));  // it is no longer needed
    cell.reset();
    CHECK(eventually_gone(name, processes, place.options.private_folder));
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("killing or stopping the runtime does not disturb a cell, and nothing stays behind") {
  const int signal = GENERATE(SIGKILL, SIGSTOP);
  CAPTURE(signal);
  const Place place;
  oci::OciEngine engine(place.options);
  auto cell = start(engine, place.spec);
  const std::string name = cell->id();
  const CellProcesses processes = found_processes(name);
  send_signal(processes.runtime, signal);
  if (signal == SIGKILL) CHECK(wait_for([&] { return !runs(processes.runtime); }));
  CHECK(run(*cell, "echo still here").output == "still here\n");
  cell.reset();
  CHECK(eventually_gone(name, processes, place.options.private_folder));
}

TEST_CASE("kill ends a cell whose supervisor is stopped") {
  const Place place;
  oci::OciEngine engine(place.options);
  auto cell = start(engine, place.spec);
  const std::string name = cell->id();
  const CellProcesses processes = found_processes(name);
  send_signal(processes.supervisor, SIGSTOP);
  cell->kill();
  CHECK(receive(cell->stream(), [](const std::string&) { return false; }).empty());  // the end of the stream
  cell.reset();
  CHECK(eventually_gone(name, processes, place.options.private_folder));
}

TEST_CASE("a cell is gone when its server was killed") {
  const Place place;
  OtherServer server(place);
  const CellProcesses processes = found_processes(server.cell());
  server.kill();
  CHECK(eventually_gone(server.cell(), processes, place.options.private_folder));
}

TEST_CASE("what a dead server left is swept at the next start, and a living one's cell is not touched") {
  const bool runtime_killed = GENERATE(true, false);
  const Place place;
  OtherServer dead(place);
  const CellProcesses processes = found_processes(dead.cell());
  // Without the runtime nobody cleans up; a stopped supervisor does not see the end of its stream.
  send_signal(runtime_killed ? processes.runtime : processes.supervisor, runtime_killed ? SIGKILL : SIGSTOP);
  OtherServer living(place);
  const CellProcesses living_processes = found_processes(living.cell());
  dead.kill();
  CHECK(has_state(dead.cell(), place.options.private_folder));

  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  CHECK(eventually_gone(dead.cell(), processes, place.options.private_folder));
  CHECK_FALSE(fs::exists(place.options.private_folder + "/bundles/" + dead.cell()));
  CHECK(has_state(living.cell(), place.options.private_folder));
  CHECK(processes_of(living.cell()).supervisor == living_processes.supervisor);
  CHECK(run(*cell, "echo fine").output == "fine\n");
  living.kill();
  CHECK(eventually_gone(living.cell(), living_processes, place.options.private_folder));
}

TEST_CASE("a runtime that fails is heard: the stream ends, and its words are kept") {
  Place place;
  const std::string name = rootless() ? "crun" : "runc";  // the other one is refused before it is started
  const std::string program = place.folder.path() / name;
  std::ofstream(program) << "#!/bin/sh\necho 'time=\"t\" level=error msg=\"no \\\"such\\\" thing\"' >&2; exit 1\n";
  fs::permissions(program, fs::perms::owner_all);
  place.options.runtime = program;
  oci::OciEngine engine(place.options);
  auto cell = engine.start(place.spec);
  REQUIRE(cell);
  CHECK(receive((*cell)->stream(), [](const std::string&) { return false; }).empty());
  CHECK(wait_for([&] { return (*cell)->diagnostics() == name + " ended with code 1: no \"such\" thing"; }));
}

TEST_CASE("wrong paths are refused before anything starts, in words that help") {
  Place place;
  oci::OciEngine engine(place.options);
  const CellSpec good = place.spec;
  place.spec.workspace = "/nonexistent/workspace";
  CHECK(engine.start(place.spec).error().message.find("mkdir -p '/nonexistent/workspace'") != std::string::npos);
  place.spec.workspace = "/";
  CHECK(engine.start(place.spec).error().message.find("whole machine") != std::string::npos);
  place.spec = good;
  place.spec.supervisor = "/nonexistent/init";
  CHECK(engine.start(place.spec).error().message.find("/nonexistent/init") != std::string::npos);
}
