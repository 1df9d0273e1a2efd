// Starts, ends and failures of real cells: whatever is killed or stopped, nothing of a cell stays behind, and nobody
// else's is touched.

#include <signal.h>
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

// Starts a cell in another process, which then waits to be killed. Returns its pid and the cell's name.
std::pair<pid_t, std::string> start_in_other_server(const Place& place) {
  int report[2];
  REQUIRE(::pipe(report) == 0);
  const pid_t server = ::fork();
  REQUIRE(server >= 0);
  if (server == 0) {
    ::close(report[0]);
    oci::OciEngine engine(place.options);
    base::Result<std::unique_ptr<Cell>> cell = engine.start(place.spec);
    if (!cell) _exit(1);
    receive((*cell)->stream(), [](const std::string& text) { return text.size() >= 6; });
    base::write_all(report[1], (*cell)->id()).ok();
    ::close(report[1]);
    for (;;) ::pause();
  }
  ::close(report[1]);
  std::string name;
  char buffer[256];
  for (ssize_t n; (n = ::read(report[0], buffer, sizeof buffer)) > 0;) name.append(buffer, static_cast<size_t>(n));
  ::close(report[0]);
  REQUIRE_FALSE(name.empty());
  return {server, name};
}

void kill_server(pid_t server) {
  send_signal(server, SIGKILL);
  REQUIRE(::waitpid(server, nullptr, 0) == server);
}

}  // namespace
TEST_CASE("closing the cell removes processes, state, cgroup and bundle, and no descriptor stays") {
  const Place place;
  oci::OciEngine engine(place.options);
  start(engine, place.spec).reset();  // what is opened once is open now
  const size_t before = open_descriptors();
  for (int round = 0; round < 3; ++round) {
    auto cell = start(engine, place.spec);
    const std::string name = cell->id();
    const CellProcesses processes = processes_of(name);
    REQUIRE(processes.supervisor > 1);
    CHECK_FALSE(fs::exists(place.options.private_folder + "/bundles/" + name));
    run(*cell, "sleep 300 >/dev/null 2>&1 & true");
    cell.reset();
    CHECK(eventually_gone(name, processes, place.options.private_folder));
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("killing or stopping the runtime does not disturb a cell, and nothing stays behind") {
  const int signal = GENERATE(SIGKILL, SIGSTOP);
  const Place place;
  oci::OciEngine engine(place.options);
  auto cell = start(engine, place.spec);
  const std::string name = cell->id();
  const CellProcesses processes = processes_of(name);
  send_signal(processes.runtime, signal);
  CHECK(run(*cell, "echo still here").output == "still here\n");
  cell.reset();
  CHECK(eventually_gone(name, processes, place.options.private_folder));
}

TEST_CASE("kill ends a cell whose supervisor is stopped") {
  const Place place;
  oci::OciEngine engine(place.options);
  auto cell = start(engine, place.spec);
  const std::string name = cell->id();
  const CellProcesses processes = processes_of(name);
  send_signal(processes.supervisor, SIGSTOP);
  cell->kill();
  CHECK(receive(cell->stream(), [](const std::string&) { return false; }).empty());  // the end of the stream
  cell.reset();
  CHECK(eventually_gone(name, processes, place.options.private_folder));
}

TEST_CASE("a cell is gone when its server was killed") {
  const Place place;
  const auto [server, name] = start_in_other_server(place);
  const CellProcesses processes = processes_of(name);
  kill_server(server);
  CHECK(eventually_gone(name, processes, place.options.private_folder));
}

TEST_CASE("what a dead server left is swept at the next start, and a living one's cell is not touched") {
  const bool runtime_killed = GENERATE(true, false);
  const Place place;
  const auto [server, name] = start_in_other_server(place);
  const CellProcesses processes = processes_of(name);
  // Without the runtime nobody cleans up; a stopped supervisor does not see the end of its stream.
  if (runtime_killed) {
    send_signal(processes.runtime, SIGKILL);
  } else {
    send_signal(processes.supervisor, SIGSTOP);
  }
  const auto [living_server, living_name] = start_in_other_server(place);
  kill_server(server);
  CHECK(has_state(name, place.options.private_folder));

  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  CHECK(eventually_gone(name, processes, place.options.private_folder));
  CHECK(has_state(living_name, place.options.private_folder));
  const CellProcesses living = processes_of(living_name);
  CHECK(living.supervisor > 0);
  CHECK(run(*cell, "echo fine").output == "fine\n");
  kill_server(living_server);
  CHECK(eventually_gone(living_name, living, place.options.private_folder));
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
