#pragma once
// The parts of the benchmark. Each measures in `rounds` rounds and returns its rows of the table.

#include <string>
#include <vector>

#include "table.h"

namespace bashcell::bench {

struct Subject {
  std::string program;  // path of bashcell; bashcell-init is where that program looks for it
  int rounds = 3;
};

// `echo hi` with the cell up and the default limits, against a bare `bash -c 'echo hi'`.
std::vector<Row> measure_calls(const Subject& subject);
// From nothing: until `initialize` is answered, and until the first call is.
std::vector<Row> measure_start(const Subject& subject);
// What server and supervisor hold in memory, at rest and under a flood of output.
std::vector<Row> measure_memory(const Subject& subject);
// Scripts that print up to 32 MB, against the same with their output sent to a file in the cell.
std::vector<Row> measure_output(const Subject& subject);
// How much of a flood the supervisor drains in a second of its processor time, and what memory that takes.
std::vector<Row> measure_drain(const Subject& subject);
// Fifty servers at once: their start and their memory; the throughput of ten; what a lock in a cell costs.
std::vector<Row> measure_sessions(const Subject& subject);
// Start and calls with a cell of a Docker engine (BASHCELL_TEST_DOCKER_HOST, BASHCELL_TEST_IMAGE), and against what
// people do by hand through its API.
std::vector<Row> measure_docker(const Subject& subject);

}  // namespace bashcell::bench
