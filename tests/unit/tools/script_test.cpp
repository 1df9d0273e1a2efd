#include <catch2/catch.hpp>

#include "tools/script_command.h"

using namespace bashcell::tools;

TEST_CASE("the one command of a script is found, whatever is wrapped around it") {
  const std::pair<const char*, const char*> cases[] = {
      {"pytest", "pytest"},
      {"pytest -q tests/a.py", "pytest -q tests/a.py"},
      {"cd /workspace && pytest", "pytest"},
      {"cd a; set -euo pipefail; export A=1 B=2; C=3\nsource .venv/bin/activate && pytest -x 2>&1\n", "pytest -x"},
      {"(cd app && pytest -v)\n", "pytest -v"},
      {"# run them\npytest # all\n\n", "pytest"},
      {"A=1 B='x y' pytest", "pytest"},
      {"time pytest", "pytest"},
      {"time -p nice -n 10 pytest", "pytest"},
      {"env -i A=b PATH=/bin pytest", "pytest"},
      {"timeout -k 5 60s pytest -q", "pytest -q"},
      {"timeout --foreground 60 python3.11 -u -m pytest -q", "pytest -q"},
      {"command pytest", "pytest"},
      {"stdbuf -oL make", "make"},
      {"stdbuf -o L make", "make"},
      {"uv run --frozen pytest", "pytest"},
      {"poetry run python -m pytest", "pytest"},
      {"npx --yes jest --ci", "jest --ci"},
      {"./node_modules/.bin/jest", "jest"},
      {"/usr/bin/git -C \"$PWD\" log", "git -C $PWD log"},
      {"git log | cat", "git log"},
      {"make 2>&1 | cat", "make"},
      {"make 2>/dev/null </dev/null", "make"},
      {"python3 -m unittest discover", "unittest discover"},
      {"python3 app.py", "python3 app.py"},
      {"! grep -r x .", "grep -r x ."},
      {"grep -r 'a|b; c' .", "grep -r a|b; c ."},
  };
  for (const auto& [script, command] : cases) {
    INFO(script);
    CHECK(only_command(script).value_or("(none)") == command);
  }
}

TEST_CASE("a script that is more than one command, or sends its output elsewhere, has none") {
  for (const char* script : {"",
                             "# nothing",
                             "cd /tmp",
                             "A=1",
                             "pytest; echo done",
                             "echo start; pytest",
                             "pytest && make",
                             "pytest || true",
                             "true || pytest",
                             "cd a || exit; pytest",
                             "pytest | tail -5",
                             "pytest | cat -n",
                             "pytest | cat > f",
                             "pytest > f",
                             "pytest >> f",
                             "pytest &> f",
                             "pytest 1>&2",
                             "pytest >&2 2>&1",
                             "pytest | tee log",
                             "pytest &",
                             "pytest $(cat args)",
                             "for i in 1 2; do pytest; done",
                             "(pytest); (make)",
                             "(pytest) | tail",
                             "((pytest))",
                             "pytest <<E\nE",
                             "$RUNNER -q",
                             "py* -q",
                             "\"$VENV/bin/pytest\"",
                             "uv run --with x pytest",
                             "env --split-string pytest",
                             "npx --package x jest",
                             "time",
                             "timeout 60",
                             "env A=b",
                             "nice -n 5"}) {
    INFO(script);
    CHECK_FALSE(only_command(script));
  }
  CHECK_FALSE(only_command("pytest " + std::string(70'000, 'x')));
}
