#include <stdexcept>

#include "output_scripts.h"
#include "parts.h"
#include "process_facts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kTimeout = 200;
constexpr size_t kFileMebibytes = 32;

struct Flood {
  std::string name;
  std::string script;
  double mebibytes;
};

// What a whole file is printed again and again for: to make it costs much more than to drain it.
std::string again_and_again(const std::string& file) {
  return "for i in {1..16}; do head -c 32M /workspace/" + file + "; done";
}

std::vector<Flood> floods() {
  return {
      {"yes", "yes | head -c 1G", 1024},
      {"seq", "seq 1000000000 | head -c 1G", 1024},
      {"base64 of random bytes", "base64 /dev/urandom | head -c 512M", 512},
      {"a log without two equal lines", again_and_again("log"), 512},
      {"C source", again_and_again("code"), 512},
      {"CSV", again_and_again("csv"), 512},
      {"one line of 1 GB", R"(head -c 1G /dev/zero | tr '\0' x)", 1024},
      {"/dev/zero", "head -c 1G /dev/zero", 1024},
      {"random bytes", "head -c 512M /dev/urandom", 512},
  };
}

}  // namespace

// With --cpus 2: a quota stretches the time of a flood, but does not change what it costs.
std::vector<Row> measure_drain(const Subject& subject) {
  const Workspace workspace;
  Server server(subject.program, workspace.path(), {"--cpus", "2"});
  server.initialize();
  prepare_files(server, kFileMebibytes * kMebibyte);
  const pid_t supervisor = supervisor_of(server.pid());
  std::vector<Row> rows;
  Row memory{"server and supervisor, peak under these floods", "MB", {}, {}, {}, 20.0};
  for (const Flood& flood : floods()) {
    rows.push_back({.name = "drained, " + flood.name, .unit = "MB/cpu-s", .at_least = 200.0});
  }
  for (int round = 0; round < subject.rounds; ++round) {
    reset_peak(server.pid());
    reset_peak(supervisor);
    for (size_t i = 0; i < rows.size(); ++i) {
      const Flood flood = floods()[i];
      const double before = cpu_seconds(supervisor);
      const std::string reply = server.call(flood.script, kTimeout);
      if (reply.find("[cell: timed out") != std::string::npos) throw std::runtime_error("timed out: " + flood.script);
      rows[i].add_round(flood.mebibytes / (cpu_seconds(supervisor) - before));
    }
    memory.add_round(peak_mb(server.pid()) + peak_mb(supervisor));
  }
  server.close();
  rows.push_back(std::move(memory));
  return rows;
}

}  // namespace bashcell::bench
