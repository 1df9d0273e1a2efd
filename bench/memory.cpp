#include <stdexcept>

#include "parts.h"
#include "process_facts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kCalls = 200;
constexpr int kFloodSeconds = 5;

}  // namespace

std::vector<Row> measure_memory(const Subject& subject) {
  Row server_rest{"server, resident after calls", "MB", {}, {}, {}, 6.0};
  Row cell_rest{"supervisor, resident after calls", "MB", {}, {}, {}, 2.0};
  Row server_flood{"server, growth by `yes` for 5 s (peak)", "MB", {}, {}, {}, 2.0};
  Row cell_flood{"supervisor, growth by `yes` for 5 s (peak)", "MB", {}, {}, {}, 2.0};
  Row server_peak{"server, peak under `yes`", "MB", {}, {}, {}, {}};
  Row cell_peak{"supervisor, peak under `yes`", "MB", {}, {}, {}, {}};
  for (int round = 0; round < subject.rounds; ++round) {
    const Workspace workspace;
    Server server(subject.program, workspace.path());
    server.initialize();
    for (int i = 0; i < kCalls; ++i) server.call("echo hi");
    const pid_t supervisor = supervisor_of(server.pid());
    const double server_mb = resident_mb(server.pid());
    const double supervisor_mb = resident_mb(supervisor);
    server_rest.add_round(server_mb);
    cell_rest.add_round(supervisor_mb);

    reset_peak(server.pid());
    reset_peak(supervisor);
    const std::string reply = server.call("yes", kFloodSeconds);
    if (reply.find("timed out") == std::string::npos) throw std::runtime_error("`yes` did not time out: " + reply);
    server_peak.add_round(peak_mb(server.pid()));
    cell_peak.add_round(peak_mb(supervisor));
    server_flood.add_round(peak_mb(server.pid()) - server_mb);
    cell_flood.add_round(peak_mb(supervisor) - supervisor_mb);
    server.close();
  }
  return {server_rest, cell_rest, server_flood, cell_flood, server_peak, cell_peak};
}

}  // namespace bashcell::bench
