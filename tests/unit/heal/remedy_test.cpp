#include "heal/remedy.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "embedded/test_tables.h"
#include "heal/package_table.h"

using namespace bashcell::heal;
using nlohmann::json;

namespace {

std::vector<std::string> names_of(const std::vector<Need>& needs) {
  std::vector<std::string> names;
  for (const Need& need : needs) {
    names.push_back(need.name + (need.kind == Need::Kind::kPythonModule ? " (module)" : ""));
  }
  return names;
}

void check_bounds(const Remedy& remedy) {
  const PackageTable table;
  CHECK(remedy.install.size() <= kMostInstalls);
  CHECK(remedy.hint.size() <= kLongestHint);
  CHECK(remedy.hint.find('\n') == std::string::npos);
  for (const Need& need : remedy.install) {
    const bool is_known = need.kind == Need::Kind::kCommand ? table.of_command(need.name).has_value()
                                                            : table.distribution_of_module(need.name).has_value();
    CHECK(is_known);
  }
}

Remedy remedy_of(std::string_view script, int exit_code, std::string_view output) {
  static const PackageTable table;
  return remedy_for({.script = script, .exit_code = exit_code, .output = output}, table);
}

}  // namespace

// Each is a script, its exit code and its output as programs really print it; with what is to be installed, and words
// of the hint. Without "hint" nothing may be said, unless something is installed.
TEST_CASE("what real programs print leads to the right remedy") {
  const json situations = json::parse(kSituations);
  size_t nothing = 0;
  for (const json& one : situations) {
    const auto script = one.at("script").get<std::string>();
    const auto output = one.at("output").get<std::string>();
    INFO(one.dump(1));
    const Remedy remedy = remedy_of(script, one.at("exit").get<int>(), output);
    check_bounds(remedy);
    CHECK(names_of(remedy.install) == one.at("install").get<std::vector<std::string>>());
    if (one.contains("hint")) {
      CHECK_THAT(remedy.hint, Catch::Contains(one.at("hint").get<std::string>()));
    } else if (remedy.install.empty()) {
      CHECK(remedy.hint.empty());
      ++nothing;
    }
  }
  CHECK(situations.size() >= 150);
  CHECK(nothing >= 30);
}

TEST_CASE("the hint of what is installed is for when that fails, and is of the same thing") {
  const Remedy remedy = remedy_of("pyhton x; env rg a", 127,
                                  "bash: line 1: pyhton: command not found\nenv: 'rg': No such file or directory\n");
  CHECK(names_of(remedy.install) == std::vector<std::string>{"rg"});
  CHECK_THAT(remedy.hint, Catch::Contains("grep"));
}

TEST_CASE("a cell with a network is not told that it has none, and a known uid is told") {
  const PackageTable table;
  Facts facts{.script = "curl a.b", .exit_code = 6, .output = "curl: (6) Could not resolve host: a.b"};
  CHECK_FALSE(remedy_for(facts, table).hint.empty());
  facts.has_network = true;
  CHECK(remedy_for(facts, table).hint.empty());
  facts = {.script = "sudo ls", .exit_code = 127, .output = "bash: line 1: sudo: command not found", .uid = 1000};
  CHECK(remedy_for(facts, table).hint.starts_with("there is no root in this cell (uid 1000)"));
  facts.output = "sudo: a password is required";
  CHECK(remedy_for(facts, table).hint.starts_with("there is no root in this cell (uid 1000)"));
}

TEST_CASE("what was missed last comes first, and no more than a few are installed") {
  const Remedy remedy = remedy_of(
      "./all", 1,
      "sh: 1: tree: not found\nsh: 1: jq: not found\nsh: 1: rg: not found\nsh: 1: fd: not found\nsh: 1: fd: not found");
  CHECK(names_of(remedy.install) == std::vector<std::string>{"fd", "rg", "jq"});
}

TEST_CASE("hostile output costs little and yields nothing that is not in a table") {
  const std::vector<std::string> pieces{"sh: 1: ",
                                        ": not found",
                                        "env: \xE2\x80\x98",
                                        "\xE2\x80\x99: No such file or directory",
                                        "find: '",
                                        "xargs: ",
                                        ": command not found",
                                        "No module named '",
                                        "ModuleNotFoundError: ",
                                        "\n",
                                        "\n",
                                        "rg",
                                        "$(id)",
                                        "a/b",
                                        "' ",
                                        ": ",
                                        "\xFF",
                                        "Error: spawn ",
                                        " ENOENT",
                                        ": unrecognized option '",
                                        "--",
                                        "grep",
                                        "BusyBox v",
                                        "zsh:",
                                        "tar (child): ",
                                        ": Cannot exec: No such file or directory",
                                        "Permission denied",
                                        "exec",
                                        std::string(1, '\0')};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string output;
    const size_t count = random() % 40;
    for (size_t i = 0; i < count; ++i) output += pieces[random() % pieces.size()];
    std::string script;
    for (size_t i = 0; i < count % 7; ++i) script += pieces[random() % pieces.size()];
    check_bounds(remedy_of(script, static_cast<int>(random() % 3), output));
  }
}

TEST_CASE("random bytes are no reason for anything") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string output(random() % 2000, ' ');
    for (char& byte : output) byte = static_cast<char>(random());
    const Remedy remedy = remedy_of(output.substr(0, 100), 1, output);
    check_bounds(remedy);
    CHECK(remedy.install.empty());
  }
}

TEST_CASE("very long output is read from its end, and very long lines not at all") {
  std::string many;
  while (many.size() < 8U << 20U) many += "find: \xE2\x80\x98nofile\xE2\x80\x99: No such file or directory\n";
  const std::string script(1U << 20U, 'x');
  CHECK(remedy_of(script, 1, many) == Remedy{});
  CHECK(names_of(remedy_of("./x", 1, many + "sh: 1: rg: not found").install) == std::vector<std::string>{"rg"});
  CHECK(remedy_of("./x", 1, "sh: 1: rg: not found\n" + many) == Remedy{});
  CHECK(remedy_of("./x", 1, std::string(8U << 20U, ':')) == Remedy{});
  CHECK(remedy_of("./x", 1, std::string(8U << 20U, '\n')) == Remedy{});
  CHECK(remedy_of("./x", 1, std::string(5000, ' ') + "sh: 1: rg: not found") == Remedy{});
}
