#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "output_scripts.h"
#include "parts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kTimeout = 120;
constexpr size_t kMostMebibytes = 32;

struct Size {
  size_t mebibytes;
  int turns;  // in each round
};

double call_ms(Server& server, const std::string& script) {
  std::string reply;
  const double took = milliseconds_of([&] { reply = server.call(script, kTimeout); });
  if (reply.find("[cell: timed out") != std::string::npos) throw std::runtime_error("timed out: " + script);
  return took;
}

// The script as it is, and with its output sent to a file, in turns.
void measure(Server& server, const std::string& script, int turns, Row& row) {
  Samples shown;
  Samples in_a_file;
  for (int turn = 0; turn < turns; ++turn) {
    shown.add(call_ms(server, script));
    in_a_file.add(call_ms(server, "{ " + script + "\n} > /tmp/f"));
  }
  row.add_round(shown.median(), in_a_file.median());
}

Row worst_of(const std::vector<Row>& rows) {
  Row worst = *std::max_element(rows.begin(), rows.end(),
                                [](const Row& a, const Row& b) { return a.ratios.median() < b.ratios.median(); });
  worst.name = "the worst: " + worst.name;
  worst.at_most = 1.5;
  return worst;
}

}  // namespace

std::vector<Row> measure_output(const Subject& subject) {
  const Workspace workspace;
  Server server(subject.program, workspace.path());
  server.initialize();
  prepare_files(server, kMostMebibytes * kMebibyte);
  std::vector<Row> rows;
  for (const Printer& printer : printers()) {
    for (const Size& size : {Size{1, 5}, Size{8, 3}, Size{kMostMebibytes, 1}}) {
      Row row{fmt::format("{} MB, {}", size.mebibytes, printer.name), "ms", {}, {}, {}, {}};
      const std::string script = printer.of(size.mebibytes * kMebibyte);
      for (int round = 0; round < subject.rounds; ++round) measure(server, script, size.turns, row);
      rows.push_back(std::move(row));
    }
  }
  server.close();
  rows.push_back(worst_of(rows));
  return rows;
}

}  // namespace bashcell::bench
