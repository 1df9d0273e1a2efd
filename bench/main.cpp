// bashcell_bench --program PATH [--rounds N] [--json FILE] [PART...]: measures the parts named (calls, start and memory
// without a name) and prints one table, with --json as data into FILE, too. Exit code: 0 all goals met, 1 some missed,
// 2 could not measure. scripts/bench.sh builds and calls it.

#include <fmt/core.h>
#include <sys/utsname.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <thread>

#include "parts.h"

namespace {

using bashcell::bench::Row;
using bashcell::bench::Subject;

using Part = std::vector<Row> (*)(const Subject&);

const std::map<std::string, Part>& parts() {
  static const std::map<std::string, Part> all{
      {"calls", bashcell::bench::measure_calls},   {"docker", bashcell::bench::measure_docker},
      {"drain", bashcell::bench::measure_drain},   {"memory", bashcell::bench::measure_memory},
      {"output", bashcell::bench::measure_output}, {"sessions", bashcell::bench::measure_sessions},
      {"start", bashcell::bench::measure_start},
  };
  return all;
}

int usage(const std::string& problem) {
  std::string names;
  for (const auto& [name, part] : parts()) names += " " + name;
  fmt::print(
      stderr,
      "bashcell_bench: {}\nusage: bashcell_bench --program PATH [--rounds N] [--json FILE] [PART...]; parts:{}\n",
      problem, names);
  return 2;
}

void print_machine(const Subject& subject) {
  utsname system{};
  uname(&system);
  fmt::print("{} {}, {} cores; {} rounds, medians over the rounds; ours and the baseline take turns\n", system.sysname,
             system.release, std::thread::hardware_concurrency(), subject.rounds);
}

int run(const Subject& subject, const std::vector<std::string>& names, const std::string& json_file) {
  print_machine(subject);
  std::vector<Row> rows;
  bool all_measured = true;
  for (const std::string& name : names) {
    fmt::print(stderr, "measuring: {}\n", name);
    try {
      for (Row& row : parts().at(name)(subject)) rows.push_back(std::move(row));
    } catch (const std::exception& error) {
      fmt::print(stderr, "bashcell_bench: {} could not be measured: {}\n", name, error.what());
      all_measured = false;
    }
  }
  const int missed = bashcell::bench::print_table(rows);
  if (!json_file.empty()) {
    std::ofstream file(json_file);
    if (!(file << bashcell::bench::as_json(rows) << std::flush)) {
      fmt::print(stderr, "bashcell_bench: cannot write {}\n", json_file);
      return 2;
    }
  }
  if (!all_measured) return 2;
  return missed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a server that died is an error message, not our death
  Subject subject;
  std::vector<std::string> names;
  std::string json_file;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--program" && has_value) {
      subject.program = argv[++i];
    } else if (word == "--rounds" && has_value) {
      subject.rounds = std::atoi(argv[++i]);
    } else if (word == "--json" && has_value) {
      json_file = argv[++i];
    } else if (parts().count(word) > 0) {
      names.push_back(word);
    } else {
      return usage("unknown part or option without its value: " + word);
    }
  }
  if (subject.program.empty()) return usage("--program is missing");
  if (subject.rounds < 1) return usage("--rounds must be at least 1");
  if (names.empty()) names = {"calls", "start", "memory"};
  return run(subject, names, json_file);
}
