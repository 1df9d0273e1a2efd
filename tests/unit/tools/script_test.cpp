#include <catch2/catch.hpp>

#include "tools/script_command.h"

using namespace bashcell::tools;
using Words = std::vector<std::string>;

TEST_CASE("a plain script is split into pipelines of simple commands") {
  const auto pipelines = split_script(
      "cd \"$HOME/a b\" && x=1 ! y 'a;b'\\ c # | no\n"
      "one 2>&1 | two > out;  three ${x} || ! four |& five\\\n  six\n\n");
  REQUIRE(pipelines);
  REQUIRE(pipelines->size() == 5);
  CHECK(pipelines->at(0).stages[0].words == Words{"cd", "$HOME/a b"});
  CHECK(pipelines->at(1).joint == Joint::kAnd);
  CHECK(pipelines->at(1).stages[0].words == Words{"x=1", "!", "y", "a;b c"});
  REQUIRE(pipelines->at(2).stages.size() == 2);
  CHECK(pipelines->at(2).stages[0].words == Words{"one"});
  CHECK(pipelines->at(2).stages[0].redirections == Words{"2>&1"});
  CHECK(pipelines->at(2).stages[1].redirections == Words{">out"});
  CHECK(pipelines->at(3).stages[0].words == Words{"three", "${x}"});
  CHECK(pipelines->at(4).joint == Joint::kOr);
  CHECK(pipelines->at(4).stages[0].words == Words{"four"});
  CHECK(pipelines->at(4).stages[1].words == Words{"five", "six"});
  REQUIRE(split_script("a &&\n# why\n b"));
  CHECK(split_script("a &&\n# why\n b")->size() == 2);
  CHECK(split_script("echo a#b \"\" 1>&2 \"1\">f")->at(0).stages[0].words == Words{"echo", "a#b", "", "1"});
  CHECK(split_script(" \n# nothing\n")->empty());
}

TEST_CASE("a script that is not plain is not split") {
  for (const char* script : {"a `b`",
                             "a $(b)",
                             "a <(b)",
                             "a >(b)",
                             "cat <<E\nx\nE",
                             "cat <<< x",
                             "(a; b)",
                             "{ a; }",
                             "f() { a; }",
                             "if a; then b; fi",
                             "for x in a; do b; done",
                             "while a; do b; done",
                             "case x in x) ;; esac",
                             "[[ a && b ]]",
                             "! while a; do b; done",
                             "a &",
                             "a & b",
                             "a;; b",
                             "a 'b",
                             "a \"b",
                             "a \"$(b)\"",
                             "a \"`b`\"",
                             "a $'b'",
                             "a ${b:-c}",
                             "a ${b",
                             "a |",
                             "| a",
                             "a ||",
                             "a; ; b",
                             "a && && b",
                             "a >",
                             "a >\nb",
                             "a > > b",
                             "a 2> & b",
                             "a\\",
                             "x=(1 2)",
                             "((x))",
                             "a $((1))",
                             "a $[1]",
                             "function f { a; }",
                             "select x in a; do b; done",
                             "coproc a",
                             "a | | b",
                             "&& a"}) {
    INFO(script);
    CHECK_FALSE(split_script(script));
  }
}

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
